import type { BlockId, LogLocation, LogQuery } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { PlainError } from "@cambium/primitives";

/** What is asked of the source of a fork; state is that after the forked block, or after the one given. */
export type ForkQuestion =
  /** Value of a key of the state. */
  | { kind: "value"; after: BlockId | undefined; key: Uint8Array }
  /** Part of the state's entries, ascending, that follow a key; fewer than asked for at the end. */
  | {
      kind: "entries";
      after: BlockId | undefined;
      prefix: Uint8Array | undefined;
      maxKeyBytes: number | undefined;
      skip: number;
    }
  /** Entry of a table of blocks, about the forked block and its ancestors. */
  | { kind: "block"; table: number; key: Uint8Array }
  | { kind: "logs"; query: LogQuery };

export interface ForkAnswers {
  value: Uint8Array | undefined;
  entries: { key: Uint8Array; value: Uint8Array }[];
  block: Uint8Array | undefined;
  logs: LogLocation[];
}

/** Entries in one answer. */
export const ENTRIES_PER_ANSWER = 1000;

/** Answers about a chain up to a block. Rejects with {@link ChainError} `FORK_SOURCE`. */
export interface ForkAnswerer {
  /** The same about the state after an ancestor of the block. */
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
  /** Of messages that were answered; the reader waits for it to change. */
  answered: Int32Array;
}

export type FromForkThread = { id: number; answer: unknown } | { id: number; error: PlainError };
