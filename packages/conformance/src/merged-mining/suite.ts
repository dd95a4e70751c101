import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { type GetWorkMapping, runGetWorkMapping, runWorkedExample, type WorkedExample } from "./examples.js";
import { type ForkDetectionFile, runForkDetectionRows } from "./fork-detection-rows.js";
import { type HeaderFile, runHeaders } from "./headers.js";
import {
  type CoinbaseVector,
  type MerkleUtilsFile,
  type MerkleVector,
  type ProofOfWorkVector,
  runCoinbases,
  runMerkleProofs,
  runMerkleUtils,
  runProofOfWorkCases,
} from "./proofs.js";

const NAME = "merged-mining";
/** Folders of other formats, whose files are skipped without reading them. */
const OTHER_FOLDERS = ["state-tests", "scenarios", "chains", "bridge", "rpc"];

type Json = Readonly<Record<string, unknown>>;
type Runner = (content: Json, all: readonly Json[]) => Iterable<CaseResult>;

/** Recognises the format of a file by its content. */
const FORMATS: readonly { recognises: (content: Json) => boolean; run: Runner }[] = [
  { recognises: (c) => isListWith(c.blocks, "header", "number"), run: (c) => runHeaders(as<HeaderFile>(c)) },
  { recognises: (c) => "rows" in c && "columns" in c, run: (c) => runForkDetectionRows(as<ForkDetectionFile>(c)) },
  {
    recognises: (c) => isListWith(c.cases, "txIdsInternal", "compactProof"),
    run: (c) => runMerkleProofs(as<MerkleVector[]>(c.cases)),
  },
  {
    recognises: (c) => isListWith(c.cases, "witnessSerialization", "stripped"),
    run: (c) => runCoinbases(as<CoinbaseVector[]>(c.cases)),
  },
  {
    recognises: (c) => isListWith(c.cases, "valid", "hashForMergedMining"),
    run: (c) => runProofOfWorkCases(as<ProofOfWorkVector[]>(c.cases)),
  },
  { recognises: (c) => "combine" in c || "pmt" in c, run: (c) => runMerkleUtils(as<MerkleUtilsFile>(c)) },
  { recognises: isWorkedExample, run: (c) => runWorkedExample(as<WorkedExample>(c)) },
  {
    recognises: (c) => "getWork" in c && "submitWork" in c,
    run: (c, all) => runGetWorkMapping(as<GetWorkMapping>(c), templateOf(as<GetWorkMapping>(c), all)),
  },
];

/** Headers, proofs, coinbases and the proof-of-work rule. */
export const mergedMiningSuite: VectorSuite = {
  name: NAME,

  accepts(file: VectorFile): boolean {
    if (!file.name.endsWith(".json")) return false;
    const folders = file.path.split(/[\\/]/);
    if (folders.includes(NAME)) return true;
    if (folders.some((folder) => OTHER_FOLDERS.includes(folder))) return false;
    const content = parse(file);
    return content !== undefined && FORMATS.some(({ recognises }) => recognises(content));
  },

  *run(files: readonly VectorFile[]): Iterable<CaseResult> {
    const contents = files.map(parse);
    const readable = contents.filter((content) => content !== undefined);
    for (const [i, file] of files.entries()) {
      const content = contents[i];
      const format = content && FORMATS.find(({ recognises }) => recognises(content));
      if (content === undefined || format === undefined) {
        yield { name: file.name, outcome: "failed", reason: "no known format of merged-mining vectors" };
        continue;
      }
      for (const result of format.run(content, readable)) yield { ...result, name: `${file.name}: ${result.name}` };
    }
  },
};

function parse(file: VectorFile): Json | undefined {
  try {
    const content: unknown = JSON.parse(file.text());
    return typeof content === "object" && content !== null ? (content as Json) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Vector files are trusted: a malformed field fails its case. */
function as<T>(content: unknown): T {
  return content as T;
}

function isListWith(list: unknown, ...keys: string[]): boolean {
  return Array.isArray(list) && list.length > 0 && keys.every((key) => key in (list[0] as Json));
}

function isWorkedExample(content: Json): boolean {
  return "baseHeaderRlp" in content && "fullHeaderRlp" in content;
}

function templateOf(mapping: GetWorkMapping, all: readonly Json[]): WorkedExample | undefined {
  return all
    .filter(isWorkedExample)
    .map((content) => as<WorkedExample>(content))
    .find((example) => `0x${example.hashForMergedMining}` === mapping.getWork[0]);
}
