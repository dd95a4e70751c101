import { writeFileSync } from "node:fs";
import { CALL_TRAPS } from "./calls.js";
import { EXECUTION_TRAPS } from "./execution.js";
import { FEDERATION_TRAPS } from "./federations.js";
import { PEG_IN_TRAPS } from "./peg-ins.js";
import { PEG_OUT_TRAPS } from "./peg-outs.js";
import { trapLine } from "./trap.js";

/** Writes every trap to a file, one per line, with this client's results; the reference client's must replace them. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: write.ts FILE");
const traps = [...EXECUTION_TRAPS, ...FEDERATION_TRAPS, ...PEG_IN_TRAPS, ...PEG_OUT_TRAPS, ...CALL_TRAPS]
  .map((trap) => trap())
  .sort((a, b) => a.text.height - b.text.height);
writeFileSync(path, `${traps.map(trapLine).join("\n")}\n`);
