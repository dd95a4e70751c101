import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { fromHex, PrimitivesError, toHex } from "@cambium/primitives";
import { Transaction, TypesError } from "@cambium/types";
import { TxPoolError } from "./errors.js";

/** The file is rewritten when it has grown by this many bytes since the last time. */
const GROWTH = 16 * 1024 * 1024;
/** Encoded bytes of transactions kept at a rewrite; of more than that the latest stay. */
const MAX_KEPT = 64 * 1024 * 1024;

/**
 * Transactions that were handed in here, in a file, so that they survive a restart. One line of hex each, appended before
 * the admission is answered; the last line may be cut off by a crash. From time to time the file is rewritten with the
 * transactions that are still in the pool.
 */
export class TransactionJournal {
  private file: number | undefined;
  private grown = 0;

  constructor(readonly path: string) {}

  /** The transactions of the file in their order, those that cannot be read left out. Throws `JOURNAL_FILE`. */
  load(): Transaction[] {
    if (!this.attempt(() => existsSync(this.path))) return [];
    const lines = this.attempt(() => readFileSync(this.path, "latin1")).split("\n");
    return lines.map(parseLine).filter((transaction) => transaction !== undefined);
  }

  /** `live` tells what is still of use, when the file has to be rewritten. Throws `JOURNAL_FILE`. */
  append(transaction: Transaction, live: () => readonly Transaction[]): void {
    const line = lineOf(transaction);
    this.attempt(() => {
      this.file ??= openSync(this.path, "a", 0o600);
      writeSync(this.file, line);
    });
    this.grown += line.length;
    if (this.grown > GROWTH) this.rewrite(live());
  }

  /** Replaces the file by one with these transactions, whole or not at all; makes its folder. Throws `JOURNAL_FILE`. */
  rewrite(transactions: readonly Transaction[]): void {
    const partial = `${this.path}.new`;
    this.close();
    this.attempt(() => {
      mkdirSync(dirname(this.path), { recursive: true });
      const file = openSync(partial, "w", 0o600);
      try {
        for (const transaction of latest(transactions)) writeSync(file, lineOf(transaction));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(partial, this.path);
    });
    this.grown = 0;
  }

  close(): void {
    if (this.file === undefined) return;
    const file = this.file;
    this.file = undefined;
    this.attempt(() => closeSync(file));
  }

  private attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new TxPoolError({ code: "JOURNAL_FILE", path: this.path, reason }, { cause: error });
    }
  }
}

/** Starts with a line break as well, so that it does not become part of a line that was cut off. */
function lineOf(transaction: Transaction): string {
  return `\n${toHex(transaction.encoded)}\n`;
}

function parseLine(line: string): Transaction | undefined {
  if (line === "") return undefined;
  try {
    return Transaction.decode(fromHex(line));
  } catch (error) {
    if (error instanceof TypesError || error instanceof PrimitivesError) return undefined;
    throw error;
  }
}

/** As many of the last ones as are kept, in their order. */
function latest(transactions: readonly Transaction[]): readonly Transaction[] {
  let kept = 0;
  let start = transactions.length;
  while (start > 0 && (kept += transactions[start - 1]!.size) <= MAX_KEPT) start--;
  return transactions.slice(start);
}
