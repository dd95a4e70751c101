import type { BlockId, LogLocation, LogQuery } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { PlainError } from "@cambium/primitives";

/** Questions to the source of a fork. The state is the one after the forked block, or after the given block. */
export type ForkQuestion =
  /** Value of a key of the state. */
  | { kind: "value"; after: BlockId | undefined; key: Uint8Array }
  /** Some of the state's entries that follow a key, ascending. Fewer than requested mean the end. */
  | {
      kind: "entries";
      after: BlockId | undefined;
      prefix: Uint8Array | undefined;
      maxKeyBytes: number | undefined;
      skip: number;
    }
  /** Entry of a table of blocks, for the forked block or an ancestor. */
  | { kind: "block"; table: number; key: Uint8Array }
  | { kind: "logs"; query: LogQuery };

export interface ForkAnswers {
  value: Uint8Array | undefined;
  entries: { key: Uint8Array; value: Uint8Array }[];
  block: Uint8Array | undefined;
  logs: LogLocation[];
}

/** Maximum number of entries in an answer. */
export const ENTRIES_PER_ANSWER = 1000;

/** Answers questions about a chain up to a block. Rejects with {@link ChainError} `FORK_SOURCE`. */
export interface ForkAnswerer {
  /** Returns an answerer for the state after an ancestor of the block. */
  after(block: BlockId): ForkAnswerer;
  value(key: Uint8Array): Promise<Uint8Array | undefined>;
  entries(
    prefix: Uint8Array | undefined,
    maxKeyBytes: number | undefined,
    skip: number,
  ): Promise<ForkAnswers["entries"]>;
  block(table: number, key: Uint8Array): Promise<Uint8Array | undefined>;
  logs(query: LogQuery): Promise<LogLocation[]>;
}

export interface ForkThreadData {
  network: NetworkConfig;
  /** Number of answered messages; the reader waits until it changes. */
  answered: Int32Array;
}

export type FromForkThread = { id: number; answer: unknown } | { id: number; error: PlainError };
