import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { checkDatabase, migrateDatabase, openChain } from "../src/index.js";
import { SCHEMA_VERSION, STATE_LAYOUTS } from "../src/store/tables.js";
import { importAll, type StoredSchema, schemaBlocks, storedSchemas, unpackSchema } from "./stored-schemas.js";

const network = NETWORKS.local;

describe("databases of earlier releases", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-schema-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("are recorded for the present schema version", () => {
    const recorded = storedSchemas().map(({ name }) => name);
    for (const layout of STATE_LAYOUTS) {
      const name = `schema-${SCHEMA_VERSION}-${layout}`;
      const advice =
        "run node --import=tsx --import=@cambium/test-utils/sources packages/chain/scripts/record-schema.ts";
      assert.ok(recorded.includes(name), `${name} is missing: ${advice}`);
    }
  });

  /** Opens a recorded database, migrated if its schema is not the present one. */
  async function openStored(stored: StoredSchema): Promise<{ database: Database; layout: StoredSchema["layout"] }> {
    const location = join(folder, stored.name);
    unpackSchema(stored, location);
    const database = await openLevelDatabase(location, { verify: "all" });
    if (stored.schema === SCHEMA_VERSION) return { database, layout: stored.layout };
    await assert.rejects(openChain({ network, database }), { code: "DATABASE_SCHEMA" });
    await migrateDatabase({ network, database, to: stored.layout });
    return { database, layout: stored.layout };
  }

  for (const stored of storedSchemas()) {
    it(`${stored.name} opens, is complete, and imports the next block`, async () => {
      const { stored: blocks, next } = await schemaBlocks();
      const { database, layout } = await openStored(stored);
      assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
      const chain = await openChain({ network, database, stateLayout: layout });
      assert.equal(toHex(chain.best().hash), toHex(blocks.at(-1)!.hash));
      for (const { hash } of blocks) assert.ok(chain.stateAfter(hash)?.state, toHex(hash));
      await importAll(chain, [next]);
      assert.equal(toHex(chain.best().hash), toHex(next.hash));
      await chain.close();
    });
  }
});
