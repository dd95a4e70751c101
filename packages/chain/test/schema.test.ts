import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase } from "@cambium/chain-maintenance";
import { FACTS, SCHEMA_VERSION, STATE_LAYOUTS, TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { openChain } from "../src/index.js";
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

  /** Opens a recorded database. */
  function openStored(stored: StoredSchema): Promise<Database> {
    const location = join(folder, stored.name);
    unpackSchema(stored, location);
    return openLevelDatabase(location, { verify: "all" });
  }

  for (const stored of storedSchemas()) {
    it(`${stored.name} opens, is complete, and imports the next block`, async () => {
      const { stored: blocks, next } = await schemaBlocks(stored);
      const { layout } = stored;
      const database = await openStored(stored);
      assert.deepEqual((await checkDatabase(database, network, { deep: true })).problems, []);
      const chain = await openChain({ network, database, stateLayout: layout });
      assert.equal(toHex(chain.best().hash), toHex(blocks.at(-1)!.hash));
      for (const { hash, header } of blocks) {
        const { state } = chain.stateAfter(hash)!;
        assert.equal([...state.entries()].length > 0 && toHex(state.root), toHex(header.stateRoot));
      }
      await importAll(chain, [next]);
      assert.equal(database.get(TABLES.facts, FACTS.schema)![0], Math.max(stored.schema, SCHEMA_VERSION));
      assert.equal(toHex(chain.best().hash), toHex(next.hash));
      await chain.close();
    });
  }
});
