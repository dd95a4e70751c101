import { dirname, sep } from "node:path";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { faultyData, faultyFiles } from "./archives.js";
import { chainArchives, miniArchives } from "./chains.js";
import { indexCases } from "./indexes.js";

const FOLDER = "published-state";

/** Archives of published state, signed indexes and faulty ones (`test/vectors/published-state`). */
export const publishedStateSuite: VectorSuite = {
  name: FOLDER,

  accepts: ({ path }) => dirname(path).split(sep).includes(FOLDER),

  /** The folder below `published-state`. The keys of the signers, next to it, belong to the indexes. */
  groupOf({ path }) {
    const names = path.split(sep);
    const end = names.lastIndexOf(FOLDER) + 1;
    const group = end === names.length - 1 ? "index" : names[end]!;
    return [...names.slice(0, end), group].join(sep);
  },

  async *run(files) {
    for (const file of files) yield* runFile(file);
  },
};

/** Cases that a file describes. The other files of its folder are read with it. */
async function* runFile(file: VectorFile): AsyncGenerator<CaseResult> {
  const folder = dirname(file.path);
  const description = `${file.folder}/${file.name}`;
  if (description === "bad/cases.json") yield* faultyData(folder, file);
  else if (description === "bad-zip/cases.json") yield* faultyFiles(folder, file);
  else if (description === "index/cases.json") yield* indexCases(folder, file);
  else if (description === "mini/expected.json") yield* miniArchives(folder);
  else if (file.name === "expected.json") yield* chainArchives(folder);
}
