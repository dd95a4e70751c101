import { setImmediate as nextTurn } from "node:timers/promises";
import {
  BlockError,
  checkAll,
  difficulty,
  extraDataSize,
  gasLimitMinimum,
  gasLimitStepRule,
  type HeaderFault,
  headerRules,
  minimumGasPriceStepRule,
  type ParentContext,
  parentNumber,
  type Rule,
} from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import type { Checkpoint, SyncChain } from "../interface.js";

/**
 * Rules for a header by itself and with its parent, cheapest first (`spec/07 §D.7`, 4). Only rules that all blocks of
 * the chain follow: a timestamp above that of the parent is required of relayed blocks only (`spec/02 §10`, Q2).
 */
const syncRules: readonly Rule<ParentContext>[] = [
  { name: "parentNumber", check: ({ header, parent }) => parentNumber(header, parent) },
  { name: "difficulty", check: ({ header, parent, network }) => difficulty(header, parent, network) },
  { name: "gasLimitStep", check: ({ header, parent, network }) => gasLimitStepRule(header, parent, network) },
  { name: "gasLimitMinimum", check: ({ header }) => gasLimitMinimum(header) },
  {
    name: "minimumGasPriceStep",
    check: ({ header, parent, network }) => minimumGasPriceStepRule(header, parent, network),
  },
  { name: "extraDataSize", check: ({ header }) => extraDataSize(header) },
  ...headerRules,
];

/** Headers between two turns of the event loop: a few milliseconds of hashing. */
const HEADERS_PER_TURN = 16;

export interface HeaderVerifierParts {
  chain: Pick<SyncChain, "isKnownInvalid">;
  network: NetworkConfig;
  checkpoint: Checkpoint | undefined;
  /** Local time in seconds. */
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
   * The first of `headers` (ascending) that cannot follow the verified `parent`; undefined if all can. Yields to the
   * event loop in between.
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
      checkAll(syncRules, { header, parent, network, now: now() });
      return undefined;
    } catch (error) {
      if (!(error instanceof BlockError)) throw error;
      return { problem: error.code as HeaderProblem, detail: error.message };
    }
  }
}
