import { describeError } from "../errors.js";
import type { CaseResult, VectorFile, VectorSuite } from "../interface.js";
import { runConversation } from "./conversations.js";
import { runDiscovery } from "./discovery.js";
import { runFrames } from "./frames.js";
import { runHandshakes } from "./handshakes.js";
import { runMalformed } from "./malformed.js";
import { runMessages } from "./messages.js";
import { runWireMessages } from "./wire-messages.js";

const NAME = "rlpx";

type Run = (file: VectorFile) => AsyncIterable<CaseResult> | Iterable<CaseResult>;

/** The parts of the format, by file name or folder. */
const PARTS: readonly { recognises: (file: VectorFile) => boolean; run: Run }[] = [
  { recognises: ({ name }) => name === "handshakes.json", run: runHandshakes },
  { recognises: ({ name }) => name === "frames.json", run: runFrames },
  { recognises: ({ name }) => name === "discovery.jsonl", run: runDiscovery },
  { recognises: ({ name }) => name === "messages.json", run: runMessages },
  { recognises: ({ name }) => name === "malformed.json", run: runMalformed },
  { recognises: ({ name }) => name === "wire-messages.tsv", run: runWireMessages },
  { recognises: ({ folder, name }) => folder === "conversations" && name.endsWith(".jsonl"), run: runConversation },
];

/** The deployed network's wire (`test/vectors/rlpx`). */
export const rlpxSuite: VectorSuite = {
  name: NAME,
  accepts: (file) => file.path.split(/[\\/]/).includes(NAME) && partOf(file) !== undefined,
  async *run(files) {
    for (const file of files) {
      try {
        for await (const result of partOf(file)!.run(file)) yield { ...result, name: `${file.name}: ${result.name}` };
      } catch (error) {
        yield { name: file.name, outcome: "failed", reason: describeError(error) };
      }
    }
  },
};

function partOf(file: VectorFile): (typeof PARTS)[number] | undefined {
  return PARTS.find(({ recognises }) => recognises(file));
}
