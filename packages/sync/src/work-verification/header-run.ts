import type { WorkCheckpoint } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import type { HeaderVerifier } from "../shared/header-verifier.js";
import { BadAnswer } from "../snapshot/snapshot-peers.js";

/**
 * Verifies an answer: headers that descend from an expected one, each the parent of the previous one. Each header is
 * then verified by itself, with its proof of work, and with its parent. Returns them ascending, from genesis if the
 * answer reaches block 1. Throws {@link BadAnswer} for anything that an honest peer does not send.
 *
 * A chain that leads to another genesis block is no fault of the peer, since hashes commit to it: block 1 is then the
 * first one of the result.
 */
export async function verifiedRun(
  descending: readonly BlockHeader[],
  expected: Pick<WorkCheckpoint, "number" | "hash">,
  { verifier, genesis }: { verifier: HeaderVerifier; genesis: BlockHeader },
  signal: AbortSignal,
): Promise<BlockHeader[]> {
  let { number, hash } = expected;
  for (const header of descending) {
    if (header.number !== number || !equalBytes(header.hash, hash))
      throw new BadAnswer("INVALID_MESSAGE", `it is not header ${number} of the chain`);
    hash = header.parentHash;
    number--;
  }
  const ascending = [...descending].reverse();
  if (number === 0 && equalBytes(hash, genesis.hash)) ascending.unshift(genesis);
  const [lowest, ...others] = ascending;
  if (lowest === undefined) throw new BadAnswer("INVALID_MESSAGE", "no headers");
  const refusal = await verifier.verify(lowest, others, signal);
  if (refusal === undefined) return ascending;
  throw new BadAnswer("INVALID_HEADER", `header ${others[refusal.index]!.number}: ${refusal.detail}`);
}
