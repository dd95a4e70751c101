import type { PeerId, PeerNetwork } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import type { Checkpoint } from "../interface.js";
import type { HeaderVerifier } from "../shared/header-verifier.js";
import { BadAnswer, type SnapshotPeers } from "./snapshot-peers.js";

/** Number of headers in one answer (`spec/07 §D.4`). */
const ANSWER_HEADERS = 192;

export interface HeaderChainParts {
  peers: SnapshotPeers;
  network: PeerNetwork;
  verifier: HeaderVerifier;
  genesis: BlockHeader;
}

/** Progress of header verification: all headers above this one are verified, so its hash is known. */
export interface HeaderMark {
  number: number;
  hash: Uint8Array;
}

/**
 * Verifies the headers between two blocks, descending. Each is verified by itself, with its proof of work, and with its
 * parent (`spec/07 §B.8`). Only the mark is kept, passed to `onVerified` after each answer. Rejects like
 * {@link SnapshotPeers.ask}: each peer that serves an invalid chain is reported, until none is left.
 *
 * @param anchor trusted block; genesis by default
 */
export async function verifyHeaderChain(
  parts: HeaderChainParts,
  from: HeaderMark,
  anchor: Checkpoint | undefined,
  onVerified: (mark: HeaderMark) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { peers, network } = parts;
  const end = anchor ?? { number: 0, hash: parts.genesis.hash };
  for (let mark = from; mark.number > end.number; ) {
    const start = mark;
    const count = Math.min(ANSWER_HEADERS, start.number - Math.max(end.number, 1) + 1);
    const work = async (peer: PeerId, scope: AbortSignal): Promise<HeaderMark> => {
      const headers = await network.headers(peer, start.hash, count, scope);
      // An honest peer has all headers down to genesis.
      if (headers.length < count) peers.noteSlow(peer);
      return verifyAnswer(parts, start, end, headers, scope);
    };
    const { answer } = await peers.ask({ kind: "headers", what: `header ${start.number}`, cost: count, work }, signal);
    mark = answer;
    await onVerified(mark);
  }
}

/** Verifies headers in descending order, the first one at the mark. Returns the lowest: the new mark. */
async function verifyAnswer(
  { verifier, genesis }: HeaderChainParts,
  mark: HeaderMark,
  end: Checkpoint,
  headers: readonly BlockHeader[],
  signal: AbortSignal,
): Promise<HeaderMark> {
  const first = headers[0];
  if (first === undefined || !equalBytes(first.hash, mark.hash) || first.number !== mark.number) {
    throw new BadAnswer("INVALID_MESSAGE", `it is not header ${mark.number}`);
  }
  const ascending = [...headers].reverse();
  // Header 1 must follow our own genesis block.
  const parent = ascending[0]!.number === 1 ? genesis : ascending.shift()!;
  if (ascending.length === 0) throw new BadAnswer("INVALID_MESSAGE", "too few headers");
  const refusal = await verifier.verify(parent, ascending, signal);
  if (refusal !== undefined) {
    const { index, detail } = refusal;
    throw new BadAnswer("INVALID_HEADER", `header ${ascending[index]!.number}: ${detail}`);
  }
  const { number, hash } = parent;
  if (number === end.number && !equalBytes(hash, end.hash))
    throw new BadAnswer("INVALID_HEADER", "it is not the checkpoint");
  if (number < end.number) throw new BadAnswer("INVALID_MESSAGE", "more headers than requested");
  return { number, hash };
}
