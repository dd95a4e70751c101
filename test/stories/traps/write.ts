import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CALL_TRAPS } from "./calls.js";
import { EXECUTION_TRAPS } from "./execution.js";
import { FEDERATION_TRAPS } from "./federations.js";
import { PEG_IN_TRAPS } from "./peg-ins.js";
import { PEG_OUT_TRAPS } from "./peg-outs.js";
import { RARE_ARGUMENTS } from "./rare-arguments.js";
import { RARE_BRIDGE } from "./rare-bridge.js";
import { RARE_CALLS } from "./rare-calls.js";
import { RARE_EXECUTION } from "./rare-execution.js";
import { RARE_REGISTRATIONS } from "./rare-registrations.js";
import { RARE_STATES } from "./rare-states.js";
import { type Trap, trapLine } from "./trap.js";

/** Writes the stories to files, one per line, with this client's results; the reference client's must replace them. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: write.ts FOLDER");

const FILES: Record<string, readonly (() => Trap)[]> = {
  traps: [...EXECUTION_TRAPS, ...FEDERATION_TRAPS, ...PEG_IN_TRAPS, ...PEG_OUT_TRAPS, ...CALL_TRAPS],
  rare: [...RARE_EXECUTION, ...RARE_BRIDGE, ...RARE_CALLS, ...RARE_STATES, ...RARE_REGISTRATIONS, ...RARE_ARGUMENTS],
};

for (const [name, traps] of Object.entries(FILES)) {
  const written = traps.map((trap) => trap()).sort((a, b) => a.text.height - b.text.height);
  writeFileSync(join(folder, `${name}.jsonl`), `${written.map(trapLine).join("\n")}\n`);
}
