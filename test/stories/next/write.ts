import { writeFileSync } from "node:fs";
import { trapLine } from "../traps/trap.js";
import { CARDAMOM } from "./cardamom.js";

/** Writes the stories to a file, one per line, with this client's results; the reference client's must replace them. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: write.ts FILE");
writeFileSync(path, `${CARDAMOM.map((story) => trapLine(story())).join("\n")}\n`);
