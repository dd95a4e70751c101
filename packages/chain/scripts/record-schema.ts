import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCHEMA_VERSION, STATE_LAYOUTS } from "../src/store/tables.js";
import { recordSchema } from "../test/stored-schemas.js";

/** Records small databases of the present schema version, for `schema.test.ts`: to be run once for each version. */
const folder = mkdtempSync(join(tmpdir(), "cambium-schema-"));
for (const layout of STATE_LAYOUTS) {
  const name = `schema-${SCHEMA_VERSION}-${layout}`;
  await recordSchema({ name, schema: SCHEMA_VERSION, layout }, join(folder, name));
}
rmSync(folder, { recursive: true });
process.exit(0);
