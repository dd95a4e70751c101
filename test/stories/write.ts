import { writeFileSync } from "node:fs";
import { SUBJECTS } from "./subjects.js";

/** Writes every story to a file, one per line, with this client's results; the reference client's must replace them. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: write.ts FILE");
const lines: string[] = [];
for (const subject of SUBJECTS) lines.push((await subject()).line());
writeFileSync(path, `${lines.join("\n")}\n`);
