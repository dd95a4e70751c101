import { failed } from "../comparison.js";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { parseLines, someFirstLine } from "../lines.js";
import { parseStory } from "./format.js";
import { runStory } from "./run.js";

/** Bridge stories over many blocks (`test/vectors/differential/README.md`), one per line. One case per block. */
export const storiesSuite: VectorSuite = {
  name: "stories",

  async accepts(file) {
    if (/\.(json|txt)$/.test(file.name)) return false;
    const isStory = (line: string) => /"preRoot"\s*:/.test(line) && /"blocks"\s*:\s*\[/.test(line);
    return someFirstLine(file, (line) => isStory(line) && !/"rule"\s*:/.test(line));
  },

  async *run(files) {
    for (const file of files) yield* runFile(file);
  },
};

async function* runFile(file: VectorFile): AsyncIterable<CaseResult> {
  for await (const parsed of parseLines(file, parseStory)) {
    if ("fault" in parsed) yield failed(`${file.name}:${parsed.line}`, parsed.fault);
    else yield* runStory(parsed.value);
  }
}
