import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { fromHex, messageOf, PrimitivesError, toHex } from "@cambium/primitives";
import { Transaction, TypesError } from "@cambium/types";
import { TxPoolError } from "./errors.js";

/** Minimum growth of the file in bytes before it is rewritten. */
const MIN_GROWTH = 1024 * 1024;
/** Maximum encoded bytes kept by a rewrite; the latest transactions are kept. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Lines that drop transactions above: one, by its hash, or all. */
const DROPPED = "drop ";
const CLEARED = "clear";

/**
 * File of local transactions, which makes them survive a restart. Each is a line of hex, appended before the admission
 * returns; a crash may truncate the last line. Lines with a word drop transactions above them. When the file has
 * doubled, it is rewritten with the transactions still in the pool.
 */
export class TransactionJournal {
  private file: number | undefined;
  /** Number of bytes that the last rewrite kept, and of bytes added since. */
  private kept = 0;
  private grown = 0;

  constructor(readonly path: string) {}

  /** Returns the transactions of the file in order, without unreadable lines. Throws `JOURNAL_FILE`. */
  load(): Transaction[] {
    if (!this.attempt(() => existsSync(this.path))) return [];
    const kept = new Map<string, Transaction>();
    for (const line of this.attempt(() => readFileSync(this.path, "latin1")).split("\n")) {
      if (line === CLEARED) kept.clear();
      else if (line.startsWith(DROPPED)) kept.delete(line.slice(DROPPED.length));
      else {
        const transaction = parseLine(line);
        if (transaction !== undefined) kept.set(toHex(transaction.hash), transaction);
      }
    }
    return [...kept.values()];
  }

  /** Appends transactions. `live` returns those to keep if the file is rewritten. Throws `JOURNAL_FILE`. */
  append(transaction: Transaction, live: () => readonly Transaction[]): void {
    this.write(lineOf(transaction), live);
  }

  /** Records that transactions do not return. `live` is as in {@link append}. Throws `JOURNAL_FILE`. */
  drop(hashes: readonly Uint8Array[], live: () => readonly Transaction[]): void {
    this.write(hashes.map((hash) => `\n${DROPPED}${toHex(hash)}\n`).join(""), live);
  }

  /** Records that no transaction appended so far returns. Throws `JOURNAL_FILE`. */
  clear(): void {
    if (this.kept + this.grown > 0) this.write(`\n${CLEARED}\n`, () => []);
  }

  private write(line: string, live: () => readonly Transaction[]): void {
    this.attempt(() => {
      this.file ??= openSync(this.path, "a", 0o600);
      writeSync(this.file, line);
    });
    this.grown += line.length;
    if (this.grown > Math.max(this.kept, MIN_GROWTH)) this.rewrite(live());
  }

  /** Atomically replaces the content of the file, and creates its folder if needed. Throws `JOURNAL_FILE`. */
  rewrite(transactions: readonly Transaction[]): void {
    const partial = `${this.path}.new`;
    this.close();
    this.attempt(() => {
      mkdirSync(dirname(this.path), { recursive: true });
      const file = openSync(partial, "w", 0o600);
      try {
        this.kept = 0;
        for (const transaction of latest(transactions)) this.kept += writeSync(file, lineOf(transaction));
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
      const reason = messageOf(error);
      throw new TxPoolError({ code: "JOURNAL_FILE", path: this.path, reason }, { cause: error });
    }
  }
}

/** Returns a line that also starts with a line break, so that it is not joined to a truncated line. */
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

/** The last transactions up to the size limit, in order. */
function latest(transactions: readonly Transaction[]): readonly Transaction[] {
  let kept = 0;
  let start = transactions.length;
  while (start > 0 && (kept += transactions[start - 1]!.size) <= MAX_KEPT) start--;
  return transactions.slice(start);
}
