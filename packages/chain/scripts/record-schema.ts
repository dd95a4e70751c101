import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCHEMA_VERSION, STATE_LAYOUTS, TOMBSTONE_SCHEMA } from "@cambium/chain-store";
import { recordSchema, recordTombstoneBlocks } from "../test/stored-schemas.js";

/** Records small databases of the present schema version, for `schema.test.ts`. Run it once for each version. */
await recordTombstoneBlocks();
const folder = mkdtempSync(join(tmpdir(), "cambium-schema-"));
const databases = STATE_LAYOUTS.map((layout) => ({ schema: SCHEMA_VERSION, layout }));
for (const { schema, layout } of [...databases, { schema: TOMBSTONE_SCHEMA, layout: "flat" as const }]) {
  const name = `schema-${schema}-${layout}`;
  await recordSchema({ name, schema, layout }, join(folder, name));
}
rmSync(folder, { recursive: true });
process.exit(0);
