import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { ChainError, type StoredChainReader } from "@cambium/chain";
import { numberKey } from "@cambium/database";
import { bigintToTwosComplement, encodeRlp, joinBytes, utf8 } from "@cambium/primitives";
import { STATE_CHUNK_BYTES, verifyStateChunk } from "@cambium/trie";
import { writeArchive } from "./archive-writer.js";
import { HashFile } from "./hash-file.js";

/** Content of an exported file. */
export interface ExportedState {
  /** Number of the newest block. */
  height: number;
  /** SHA-256 of the file. */
  hash: Uint8Array;
}

/** Blocks in an archive: as many as the reward contract of main needs. */
const BLOCKS = 4_000;
/** Bytes of elements that are written as one chunk. */
const CHUNK = 2 ** 20;
const HEAD = joinBytes([utf8("RSKBOOT\n"), Uint8Array.of(2)]);
const TAGS = { blocks: Uint8Array.of(1), nodes: Uint8Array.of(2), values: Uint8Array.of(3) };
const END = Uint8Array.of(0);

/**
 * Writes the best block's state and the last blocks as an archive of version 2 (`spec/10 §3`). The chain must not
 * change until it resolves. Rejects with {@link ChainError} `STATE_UNAVAILABLE`, or as `writeArchive` does.
 */
export async function exportPublishedState(
  chain: StoredChainReader,
  path: string,
  onProgress: (share: number) => void = () => undefined,
): Promise<ExportedState> {
  mkdirSync(dirname(path), { recursive: true });
  const values = new HashFile(`${path}.values.tmp`);
  try {
    const hash = await writeArchive(path, archiveOf(chain, values, onProgress));
    return { height: chain.best().header.number, hash };
  } finally {
    values.close();
  }
}

async function* archiveOf(chain: StoredChainReader, values: HashFile, onProgress: (share: number) => void) {
  yield HEAD;
  yield* section(TAGS.blocks, blocksOf(chain));
  yield* section(TAGS.nodes, nodesOf(chain, values, onProgress));
  values.seal();
  yield* section(TAGS.values, values.contents());
  yield END;
}

/** A section of encoded elements. */
function* section(tag: Uint8Array, elements: Iterable<Uint8Array>) {
  yield tag;
  let chunk: Uint8Array[] = [];
  let length = 0;
  for (const element of elements) {
    chunk.push(element);
    length += element.length;
    if (length < CHUNK) continue;
    yield chunkOf(chunk, length);
    chunk = [];
    length = 0;
  }
  if (length > 0) yield chunkOf(chunk, length);
  yield numberKey(0);
}

function chunkOf(elements: readonly Uint8Array[], length: number): Uint8Array {
  return joinBytes([numberKey(length), ...elements]);
}

function* blocksOf(chain: StoredChainReader) {
  const best = chain.best().header.number;
  for (let number = Math.max(best - BLOCKS + 1, chain.earliestBlock(), 1); number <= best; number++) {
    const hash = chain.hashByNumber(number)!;
    yield encodeRlp([chain.encodedBlock(hash)!, bigintToTwosComplement(chain.totalDifficulty(hash)!)]);
  }
}

/** The nodes of the best block's state, once for each place. Adds long values to `values`. */
function* nodesOf(chain: StoredChainReader, values: HashFile, onProgress: (share: number) => void) {
  const { hash, header } = chain.best();
  const state = chain.stateAfter(hash)?.state;
  if (state === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: header.number });
  for (let from = 0, isComplete = false; !isComplete; ) {
    const chunk = state.stateChunk(from, STATE_CHUNK_BYTES);
    if (chunk === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: header.number });
    const verified = verifyStateChunk(chunk, header.stateRoot);
    const messages: Uint8Array[] = [];
    verified.save({
      node: (message) => messages.push(encodeRlp(message)),
      value: (value, _, valueHash) => valueHash && values.add(valueHash, encodeRlp(value)),
    });
    yield* messages;
    isComplete = chunk.complete;
    from = chunk.to;
    onProgress(from / verified.stateSize);
  }
}
