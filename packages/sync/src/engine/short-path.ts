import type { BlockId, PeerId, PeerNetwork } from "@cambium/networking";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { SyncChain } from "../interface.js";
import type { HeaderVerifier } from "../shared/header-verifier.js";
import { linkFault, type VerifiedHeaders } from "./header-download.js";
import type { PeerCoordinator } from "./peer-coordinator.js";

/** Maximum distance in blocks without a skeleton (`spec/07 §D.7`, 2). */
export const SHORT_GAP = 32;
/** Maximum number of blocks fetched by a short path: the gap and a fork of the same depth. */
const MAX_HEADERS = 2 * SHORT_GAP;
/** Number of headers requested beyond the gap at first: most forks are not deeper. */
const FIRST_MARGIN = 2;

export interface ShortPathParts {
  chain: Pick<SyncChain, "best" | "headerByHash">;
  network: Pick<PeerNetwork, "headers">;
  coordinator: PeerCoordinator;
  verifier: HeaderVerifier;
}

/**
 * Returns the verified headers of a peer's block and its missing ancestors; undefined if the block is stored. Rejects
 * with {@link SyncError} (`TOO_DEEP` if the long path is needed), after the peer was reported if it is at fault.
 */
export async function fetchAncestors(
  peer: PeerId,
  block: BlockId,
  parts: ShortPathParts,
  signal: AbortSignal,
): Promise<VerifiedHeaders | undefined> {
  const { chain, coordinator } = parts;
  if (chain.headerByHash(block.hash) !== undefined) return undefined;
  const { headers, parent } = await downwards(peer, block, parts, signal);
  const refusal = await parts.verifier.verify(parent, headers, signal);
  if (refusal === undefined) return { headers, sources: [peer] };
  const { problem, index, detail } = refusal;
  const { number } = headers[index]!;
  if (problem === "TIMESTAMP_FUTURE") throw new SyncError({ code: "NOT_JUDGED", number, fault: problem });
  const event = problem === "KNOWN_INVALID" ? "INVALID_BLOCK" : "INVALID_HEADER";
  coordinator.exclude(peer, event, `block ${number}: ${detail}`);
  throw new SyncError({ code: "INVALID_HEADER", number, problem });
}

/** Returns headers above the nearest known ancestor, ascending. */
async function downwards(
  peer: PeerId,
  block: BlockId,
  { chain, network, coordinator }: ShortPathParts,
  signal: AbortSignal,
): Promise<{ headers: BlockHeader[]; parent: BlockHeader }> {
  const descending: BlockHeader[] = [];
  const gap = Math.max(1, block.number - chain.best().header.number);
  let next = block.hash;
  for (let count = gap + FIRST_MARGIN; descending.length < MAX_HEADERS; count = MAX_HEADERS - descending.length) {
    const wanted = Math.min(count, MAX_HEADERS);
    const hash = next;
    const request = { kind: "headers", cost: wanted, signal } as const;
    const answer = await coordinator.ask(peer, request, (inner) => network.headers(peer, hash, wanted, inner));
    // Peers that relay an announcement have not verified its number: a wrong one is no offence.
    const isOther = descending.length === 0 && answer[0] !== undefined && answer[0].number !== block.number;
    if (isOther) throw new SyncError({ code: "HEADERS_UNAVAILABLE", number: block.number });
    const fault = answerFault(answer, hash, wanted, descending.at(-1)?.number ?? block.number + 1);
    if (fault !== undefined) {
      coordinator.exclude(peer, "INVALID_MESSAGE", `headers: ${fault}`);
      throw new SyncError({ code: "HEADERS_UNAVAILABLE", number: block.number });
    }
    if (answer.length === 0) break;
    for (const header of answer) {
      descending.push(header);
      const parent = chain.headerByHash(header.parentHash);
      if (parent !== undefined) return { headers: descending.reverse(), parent };
    }
    next = descending.at(-1)!.parentHash;
  }
  throw new SyncError({ code: "TOO_DEEP", number: block.number });
}

function answerFault(
  headers: readonly BlockHeader[],
  hash: Uint8Array,
  count: number,
  above: number,
): string | undefined {
  const first = headers[0];
  if (first !== undefined && first.number !== above - 1) return `number ${first.number} below ${above}`;
  return linkFault(headers, hash, count);
}
