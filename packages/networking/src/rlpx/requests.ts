import { setMaxListeners } from "node:events";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import {
  type AnswerTo,
  type RequestContent,
  type RequestName,
  type Responses,
  RlpxError,
  type RskResponse,
} from "@cambium/rlpx";
import { type BlockHeader, TypesError } from "@cambium/types";
import { NetworkingError } from "../errors.js";
import type { BlockBody, PeerId, PeerRequests, SnapshotBlock } from "../interface.js";
import { malformed } from "../rlp.js";
import type { ScoringEvent } from "../scoring/events.js";
import {
  checkBlockHash,
  checkBlockShape,
  checkSkeleton,
  isBranch,
  readCompressedHeader,
} from "../serving/answer-checks.js";
import { MIB } from "../shared/limits.js";
import type { RlpxPeer } from "./peer.js";

export interface RlpxRequestsParts {
  network: NetworkConfig;
  genesisHash: Uint8Array;
  peer(id: PeerId): RlpxPeer | undefined;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
}

/** KiB of state in a chunk: sent with each request, and ignored (`spec/07 §A.3.3`). */
const CHUNK_SIZE = 50;
/**
 * Milliseconds for an answer once the request is sent (`spec/07 §D.5`): a node under load answers within seconds. The
 * limit is shorter than that of the synchronisation, so that the silence of a peer is scored.
 */
const ANSWER_LIMIT = 10_000;
/** Maximum size of the answers of all peers that wait for an earlier one, in bytes. */
export const MAX_HELD_BYTES = 128 * MIB;
/** Placeholder for an answer that was dropped because too many waited. */
const DROPPED = Symbol("dropped");

/**
 * Creates requests to a node of the deployed network. The node is silent about data that it does not have, and about
 * requests above its rate (`spec/07 §B.2`). Silence therefore means "not available", and is scored only if the peer
 * sends nothing at all.
 */
export function createRlpxRequests({ network, genesisHash, peer: find, report }: RlpxRequestsParts): PeerRequests {
  let heldBytes = 0;

  function peerOf(id: PeerId): RlpxPeer {
    const peer = find(id);
    if (peer?.isReady) return peer;
    throw new NetworkingError({ code: "DISCONNECTED", peer: id });
  }

  /** Returns the answer; undefined if there is none. */
  async function ask<N extends RequestName>(
    id: PeerId,
    name: N,
    content: RequestContent<N>,
    signal: AbortSignal | undefined,
    onSilence = () => report(id, "TIMEOUT_MESSAGE", name),
  ): Promise<AnswerTo<N> | undefined> {
    const peer = peerOf(id);
    const before = peer.messagesReceived;
    try {
      const answer = await peer.session.request(name, content, { timeout: ANSWER_LIMIT, ...(signal && { signal }) });
      if (answer === undefined && peer.messagesReceived === before) onSilence();
      return answer;
    } catch (error) {
      throw fromRlpx(error, id);
    }
  }

  async function askFor<N extends RequestName>(id: PeerId, name: N, content: RequestContent<N>, signal?: AbortSignal) {
    const answer = await ask(id, name, content, signal);
    if (answer === undefined) throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: name });
    return answer;
  }

  /**
   * Sends all requests together, since answers come in any order, and yields answers in the order of the hashes. A
   * withheld answer must not make this node store many large ones. Above {@link MAX_HELD_BYTES} only the next one in
   * order is kept, and the generator ends early at the first dropped one.
   */
  async function* each<N extends RequestName, T>(
    id: PeerId,
    name: N,
    requests: readonly RequestContent<N>[],
    read: (answer: AnswerTo<N>, index: number) => T,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<T | undefined> {
    const ended = new AbortController();
    // Every request listens to the signal.
    setMaxListeners(requests.length, ended.signal);
    const abort = () => ended.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    let next = 0;
    let ownBytes = 0;
    let isReported = false;
    // All requests together count as one for the rest of the node.
    const onSilence = () => {
      if (!isReported) report(id, "TIMEOUT_MESSAGE", name);
      isReported = true;
    };
    const hold = (bytes: number) => {
      heldBytes += bytes;
      ownBytes += bytes;
    };
    const answers = requests.map(async (content, index) => {
      const answer = await ask(id, name, content, ended.signal, onSilence);
      const bytes = sizeOf(answer as RskResponse | undefined);
      if (ended.signal.aborted || (index !== next && heldBytes + bytes > MAX_HELD_BYTES)) return DROPPED;
      hold(bytes);
      return answer;
    });
    for (const answer of answers) answer.catch(() => undefined);
    try {
      for (const [index, pending] of answers.entries()) {
        const answer = await pending;
        if (answer === DROPPED) return;
        hold(-sizeOf(answer as RskResponse | undefined));
        next = index + 1;
        yield answer === undefined ? undefined : checked(id, name, () => read(answer, index));
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      ended.abort();
      hold(-ownBytes);
    }
  }

  /** Runs a check; a failure is the peer's fault. */
  function checked<T>(peer: PeerId, name: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof NetworkingError || error instanceof TypesError)) throw error;
      report(peer, "UNREADABLE_MESSAGE", `${name}: ${error.message}`);
      throw new NetworkingError({ code: "INVALID_ANSWER", protocol: name, reason: error.message }, { cause: error });
    }
  }

  return {
    async hashes(peer, heights, signal) {
      // The deployed client never answers for genesis; its Status contains that hash.
      const asked = heights.filter((height) => height > 0);
      const found = new Map<number, Uint8Array>([[0, genesisHash]]);
      const requests = asked.map((height) => ({ height }));
      let next = 0;
      for await (const hash of each(peer, "blockHashRequest", requests, (answer) => answer.hash, signal)) {
        const height = asked[next++]!;
        if (hash !== undefined && hash.length > 0) found.set(height, hash);
      }
      return heights.map((height) => found.get(height));
    },
    async skeleton(peer, start, count, signal) {
      const { blocks } = await askFor(peer, "skeletonRequest", { start }, signal);
      return checked(peer, "skeletonRequest", () => {
        checkSkeleton(blocks, start);
        return blocks.slice(0, count);
      });
    },
    async headers(peer, hash, count, signal) {
      const answer = await askFor(peer, "blockHeadersRequest", { hash, count }, signal);
      return checked(peer, "blockHeadersRequest", () => readHeaders(answer.headers, { hash, count }, network));
    },
    bodies: (peer, hashes, signal) =>
      each(
        peer,
        "bodyRequest",
        hashes.map(byHash),
        (body, index): BlockBody => ({ ...body, hash: hashes[index]! }),
        signal,
      ),
    blocks: (peer, hashes, signal) =>
      each(
        peer,
        "blockRequest",
        hashes.map(byHash),
        ({ block }, index) => readBlock(block, hashes[index]!, network),
        signal,
      ),
    // biome-ignore lint/correctness/useYield: the wire has no such request
    async *transactions() {
      throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "transactions" });
    },
    async snapshotStatus(peer, signal) {
      const answer = await askFor(peer, "snapStatusRequest", {}, signal);
      return checked(peer, "snapStatusRequest", () => ({
        blocks: readSnapshotBlocks(answer),
        trieSize: answer.trieSize,
      }));
    },
    async snapshotBlocks(peer, below, signal) {
      const answer = await askFor(peer, "snapBlocksRequest", { below }, signal);
      return checked(peer, "snapBlocksRequest", () => readSnapshotBlocks(answer));
    },
    async snapshotChunk(peer, blockNumber, from, signal) {
      const request = { blockNumber, from, chunkSize: CHUNK_SIZE };
      const chunk = await askFor(peer, "snapStateChunkRequest", request, signal);
      return checked(peer, "snapStateChunkRequest", () => {
        if (chunk.blockNumber !== blockNumber || chunk.from !== from) throw malformed("chunk", "not the requested one");
        if (chunk.to <= from) throw malformed("chunk", `from ${from} to ${chunk.to}`);
        return { from, to: chunk.to, complete: chunk.complete, encoded: chunk.encoded };
      });
    },
  };
}

/** Returns the size of a held answer in bytes; small ones do not count. */
function sizeOf(answer: RskResponse | undefined): number {
  if (answer?.type === "blockResponse") return answer.block.length;
  if (answer?.type !== "bodyResponse") return 0;
  return answer.transactions.reduce((bytes, { length }) => bytes + length, answer.uncles.length);
}

function byHash(hash: Uint8Array) {
  return { hash };
}

/** Decodes headers. Throws `MALFORMED`. */
function readHeaders(
  encoded: readonly Uint8Array[],
  { hash, count }: { hash: Uint8Array; count: number },
  network: NetworkConfig,
): BlockHeader[] {
  if (encoded.length === 0 || encoded.length > count) throw malformed("headers", `${encoded.length} of ${count}`);
  const headers = encoded.map((bytes) => readCompressedHeader(bytes, network));
  if (!equalBytes(headers[0]!.hash, hash)) throw malformed("headers", "not the requested ones");
  if (!isBranch(headers)) throw malformed("headers", "not linked");
  return headers;
}

function readBlock(block: Uint8Array, hash: Uint8Array, network: NetworkConfig): Uint8Array {
  checkBlockHash(block, hash, network);
  return block;
}

/** Decodes blocks of a snapshot. Throws `MALFORMED`. */
function readSnapshotBlocks({ blocks, totalDifficulties }: Responses["snapBlocksResponse"]): SnapshotBlock[] {
  if (blocks.length === 0 || blocks.length !== totalDifficulties.length) {
    throw malformed("snapshot blocks", `${blocks.length} with ${totalDifficulties.length} total difficulties`);
  }
  return blocks.map((encoded, i) => {
    checkBlockShape(encoded);
    return { encoded, totalDifficulty: totalDifficulties[i]! };
  });
}

function fromRlpx(error: unknown, peer: PeerId): unknown {
  if (!(error instanceof RlpxError)) return error;
  if (error.code === "ABORTED") return new NetworkingError({ code: "ABORTED" }, { cause: error });
  const code = error.code === "TOO_MANY_REQUESTS" ? "TOO_MANY_REQUESTS" : "DISCONNECTED";
  return new NetworkingError({ code, peer }, { cause: error });
}
