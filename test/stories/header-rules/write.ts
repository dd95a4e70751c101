import { writeFileSync } from "node:fs";
import { headerRuleCases } from "./cases.js";
import { fallbackCases } from "./fallback.js";

/** Writes the cases to a file, one per line, without the verdicts, which the deployed client must add. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: write.ts FILE");
writeFileSync(path, `${[...headerRuleCases(), ...fallbackCases()].map((one) => JSON.stringify(one)).join("\n")}\n`);
