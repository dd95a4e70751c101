import { setImmediate as nextTurn } from "node:timers/promises";
import { BlockError, chainHeaderRules, checkAll, type HeaderFault } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import type { Checkpoint, SyncChain } from "../interface.js";

/** Number of headers between two turns of the event loop: a few milliseconds of hashing. */
const HEADERS_PER_TURN = 16;

export interface HeaderVerifierParts {
  chain: Pick<SyncChain, "isKnownInvalid">;
  network: NetworkConfig;
  checkpoint: Checkpoint | undefined;
  /** Returns the local time in seconds. */
  now: () => number;
}

/** The rule that a header breaks, or a problem of its position in the chain. */
export type HeaderProblem = HeaderFault["code"] | "PARENT_HASH" | "CHECKPOINT" | "KNOWN_INVALID";

export interface HeaderRefusal {
  /** Position in the list. */
  index: number;
  problem: HeaderProblem;
  detail: string;
}

/** Verifies chains of headers that are not stored. */
export class HeaderVerifier {
  constructor(private readonly parts: HeaderVerifierParts) {}

  /**
   * Returns the first of `headers` (ascending) that cannot follow the verified `parent`; undefined if all can. Yields
   * to the event loop in between.
   */
  async verify(
    parent: BlockHeader,
    headers: readonly BlockHeader[],
    signal: AbortSignal,
  ): Promise<HeaderRefusal | undefined> {
    let below = parent;
    for (const [index, header] of headers.entries()) {
      if (index % HEADERS_PER_TURN === HEADERS_PER_TURN - 1) await nextTurn();
      signal.throwIfAborted();
      const problem = this.problemOf(header, below);
      if (problem !== undefined) return { index, ...problem };
      below = header;
    }
    return undefined;
  }

  private problemOf(header: BlockHeader, parent: BlockHeader): Omit<HeaderRefusal, "index"> | undefined {
    const { chain, network, checkpoint, now } = this.parts;
    if (!equalBytes(header.parentHash, parent.hash))
      return { problem: "PARENT_HASH", detail: "its parent hash is not that of the header below" };
    if (chain.isKnownInvalid(header.hash)) return { problem: "KNOWN_INVALID", detail: "it is known to be invalid" };
    if (checkpoint?.number === header.number && !equalBytes(checkpoint.hash, header.hash)) {
      return { problem: "CHECKPOINT", detail: "it is not the checkpoint" };
    }
    try {
      checkAll(chainHeaderRules, { header, parent, network, now: now() });
      return undefined;
    } catch (error) {
      if (!(error instanceof BlockError)) throw error;
      return { problem: error.code as HeaderProblem, detail: error.message };
    }
  }
}
