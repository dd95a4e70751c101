import {
  type BlockOutcome,
  ChainStore,
  decodeDiff,
  decodeRecord,
  FACTS,
  hasState,
  isIndexed,
  LogIndexWriter,
  layoutOf,
  numberFact,
  readProgress,
  type StateLayout,
  sendersKey,
  TABLES,
} from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { type Database, numberKey, readNumber } from "@cambium/database";
import { CambiumError, EMPTY_BYTES, equalBytes, toHex } from "@cambium/primitives";
import { checkTrie, HashSet } from "@cambium/trie";
import { type Block, type BlockHeader, type Receipt, SENDER_BYTES } from "@cambium/types";
import { checkFlatState, type FlatStateFault } from "./check-flat-state.js";
import type { DatabaseProblem, SnapshotGaps } from "./database-problem.js";
import { recoveredSenders } from "./recovered-senders.js";

/** Maximum number of reported faults of the state in the flat layout. */
const MAX_STATE_FAULTS = 1_000;

export interface DatabaseCheckOptions {
  /** Whether to visit every node and value of every stored state too. */
  deep?: boolean;
  /** Called after each block with the number of blocks checked. */
  onProgress?: (blocks: number) => void;
  signal?: AbortSignal;
}

export interface DatabaseCheckResult {
  blocks: number;
  /** Number of state nodes and values visited; 0 unless `deep`. */
  nodes: number;
  problems: DatabaseProblem[];
  /** Data that a database from a snapshot legitimately lacks; undefined for any other database. */
  snapshot: SnapshotGaps | undefined;
}

/**
 * Checks every block in the database, on the best chain or not, and reports missing or wrong data. Changes nothing.
 * Rejects only if the database cannot be read at all, or with the signal's reason if it is aborted.
 */
export async function checkDatabase(
  database: Database,
  network: NetworkConfig,
  options: DatabaseCheckOptions = {},
): Promise<DatabaseCheckResult> {
  const check = new DatabaseCheck(database, network, options.deep ?? false);
  check.facts();
  for await (const { key, value } of database.entries(TABLES.siblings)) {
    const number = readNumber(key, 0);
    for (let at = 0; at < value.length; at += 32) {
      options.signal?.throwIfAborted();
      check.block(number, value.slice(at, at + 32));
      options.onProgress?.(check.result.blocks);
    }
  }
  check.bestChain();
  if (options.deep) await check.flatState(options.signal);
  return check.result;
}

/** The steps of {@link checkDatabase}. */
export class DatabaseCheck {
  readonly result: DatabaseCheckResult = { blocks: 0, nodes: 0, problems: [], snapshot: undefined };
  private readonly store: ChainStore;
  private readonly visited = new HashSet();
  private readonly indexedBelow: number;
  /** Lowest block above genesis, and highest block not executed by this node (`tables.ts`). */
  private readonly earliest: number;
  private readonly snapshot: number;
  private readonly layout: StateLayout | undefined;
  private readonly oldestState: number;
  private stateFaults = 0;

  constructor(
    private readonly database: Database,
    private readonly network: NetworkConfig,
    private readonly deep: boolean,
  ) {
    this.store = new ChainStore(database, network);
    this.indexedBelow = new LogIndexWriter(database).firstOpenBlock;
    this.earliest = numberFact(database, FACTS.earliest) ?? 0;
    this.snapshot = numberFact(database, FACTS.snapshot) ?? 0;
    this.layout = this.read(
      () => layoutOf(database),
      () => undefined,
    );
    this.oldestState = numberFact(database, FACTS.oldestState) ?? 0;
    this.result.snapshot = this.gaps();
  }

  private gaps(): SnapshotGaps | undefined {
    if (this.snapshot > 0) return { kind: "installed", block: this.snapshot, earliest: this.earliest };
    const progress = readProgress(this.database);
    if (progress === undefined) return undefined;
    const { checkpoint, position, stateSize } = progress;
    return { kind: "installing", block: checkpoint.number, bytes: position, totalBytes: stateSize };
  }

  facts(): void {
    for (const what of ["schema", "genesis", "best"] as const) {
      if (this.database.get(TABLES.facts, FACTS[what]) === undefined) this.report({ kind: "fact", what });
    }
    if (this.layout === undefined) this.report({ kind: "fact", what: "layout" });
  }

  block(number: number, hash: Uint8Array): void {
    this.result.blocks++;
    const part = (what: BlockPart, reason?: string) => this.report({ kind: "block", what, number, hash, reason });
    const header = this.read(
      () => this.store.header(hash),
      (reason) => part("header", reason),
    );
    const outcome = this.read(
      () => this.store.outcome(hash),
      (reason) => part("outcome", reason),
    );
    const isWhole = number === 0 || number >= this.earliest || this.network.fork !== undefined;
    const receipts =
      isWhole && this.wasExecuted(number)
        ? this.read(
            () => this.store.receipts(hash),
            (reason) => part("receipts", reason),
          )
        : undefined;
    if (header === undefined) return;
    if (!equalBytes(header.hash, hash) || header.number !== number) part("header", "belongs to another block");
    // The body of the block where a fork begins is in the source of the fork.
    const block = isWhole && number !== this.network.fork?.number ? this.body(header, hash, part) : undefined;
    if (outcome !== undefined && block !== undefined) this.links(block, outcome, part);
    if (block !== undefined) this.transactionIndex(block);
    if (block !== undefined) this.senders(block);
    if (block !== undefined && receipts !== undefined) this.results(block, receipts, part);
    if (outcome !== undefined && !hasState(outcome) && (this.wasExecuted(number) || number === this.snapshot)) {
      part("outcome", "no state root");
    } else if (outcome !== undefined && this.deep && hasState(outcome)) {
      if (this.layout === "flat") this.stateDiff(number, hash);
      else this.state(number, outcome);
    }
  }

  /** Whether this node executed a block; true for genesis, not for the block where a fork begins. */
  private wasExecuted(number: number): boolean {
    const { fork } = this.network;
    return fork === undefined ? number === 0 || number > this.snapshot : number > fork.number;
  }

  /** Reads a value, or reports why it is missing. */
  private read<T>(get: () => T | undefined, missing: (reason: string) => void): T | undefined {
    try {
      const value = get();
      if (value === undefined) missing("missing");
      return value;
    } catch (error) {
      if (!(error instanceof CambiumError)) throw error;
      missing(error.message);
      return undefined;
    }
  }

  private body(header: BlockHeader, hash: Uint8Array, part: ReportPart): Block | undefined {
    const block = this.read(
      () => this.store.block(hash),
      (reason) => part("body", reason),
    );
    if (block === undefined) return undefined;
    if (!equalBytes(block.unclesHash, header.unclesHash)) part("uncles", "do not match the uncles hash of the header");
    return this.read(
      () => {
        block.verifyTransactionsRoot(this.network);
        return block;
      },
      (reason) => part("body", reason),
    );
  }

  private links({ header, cumulativeDifficulty }: Block, { totalDifficulty }: BlockOutcome, part: ReportPart): void {
    if (header.number === 0 || header.number === this.earliest) return;
    const parent = this.store.outcome(header.parentHash);
    if (parent === undefined) part("parent", "missing");
    else if (parent.totalDifficulty + cumulativeDifficulty !== totalDifficulty) part("total difficulty");
  }

  private isOnBestChain({ number, hash }: Block): boolean {
    const best = this.store.hashAt(number);
    return best !== undefined && equalBytes(best, hash);
  }

  private transactionIndex(block: Block): void {
    if (!this.isOnBestChain(block)) return;
    const { number } = block;
    for (const [index, transaction] of block.transactions.entries()) {
      const { hash } = transaction;
      const report = () => this.report({ kind: "transaction-index", number, hash });
      const position = this.read(() => this.store.transactionPosition(hash), report);
      if (position !== undefined && (position.number !== number || position.index !== index)) report();
    }
  }

  private senders(block: Block): void {
    const { number, hash, transactions } = block;
    const stored = this.database.get(TABLES.senders, sendersKey(block));
    if (stored === undefined) return;
    const isRight = this.deep
      ? equalBytes(stored, recoveredSenders(this.store.encodedBody(hash)!.transactions, this.network))
      : stored.length === transactions.length * SENDER_BYTES;
    if (!isRight) this.report({ kind: "senders", number, hash });
  }

  private results(block: Block, receipts: readonly Receipt[], part: ReportPart): void {
    const { number, hash } = block;
    if (receipts.length !== block.transactions.length)
      part("receipts", `${receipts.length} receipts for ${block.transactions.length} transactions`);
    if (!this.isOnBestChain(block)) return;
    if (number < this.indexedBelow && !this.logsIndexed(number, receipts))
      this.report({ kind: "log-index", number, hash });
  }

  private logsIndexed(number: number, receipts: readonly Receipt[]): boolean {
    return receipts.every(({ logs }) => logs.every((log) => isIndexed(this.database, log, number)));
  }

  private state(number: number, { stateRoot }: BlockOutcome): void {
    const { nodes, values } = checkTrie(
      { get: (hash) => this.database.get(TABLES.stateNodes, hash) },
      stateRoot,
      this.visited,
      ({ kind, what, hash }) => this.report({ kind: "state", number, hash, what, fault: kind }),
    );
    this.result.nodes += nodes + values;
  }

  private stateDiff(number: number, hash: Uint8Array): void {
    if (number <= this.oldestState) return;
    const isBest = equalBytes(this.store.hashAt(number) ?? EMPTY_BYTES, hash);
    const report = (fault: "missing" | "corrupt") => this.report({ kind: "state-diff", number, hash, fault });
    const diff = isBest
      ? this.database.get(TABLES.stateDiffs, numberKey(number))
      : this.database.get(TABLES.sideDiffs, hash);
    if (diff === undefined) report("missing");
    else {
      const keys = this.read(
        () => changedKeys(diff, number, isBest),
        () => report("corrupt"),
      );
      if (isBest) for (const key of keys ?? []) this.newestRecord(key, number);
    }
  }

  /** Checks that a value which a block has changed has a record, even if it has been removed. */
  private newestRecord(key: Uint8Array, changed: number): void {
    const stored = this.database.get(TABLES.flatState, key);
    const report = (fault: FlatStateFault["fault"]) => this.stateFault({ what: "value", fault, key });
    if (stored === undefined) report("missing");
    const record =
      stored &&
      this.read(
        () => decodeRecord(stored, key),
        () => report("corrupt"),
      );
    if (record !== undefined && record.changed < changed) report("corrupt");
  }

  private stateFault(fault: FlatStateFault): void {
    if (++this.stateFaults <= MAX_STATE_FAULTS) this.report({ kind: "flat-state", ...fault });
  }

  /** Checks the stored state, from which those of all blocks follow. Rejects with the signal's reason. */
  async flatState(signal?: AbortSignal): Promise<void> {
    const hash = this.store.bestHash();
    const header = hash && this.headerOf(hash, 0);
    const outcome = hash && this.store.outcome(hash);
    if (this.layout !== "flat" || header === undefined || outcome === undefined) return;
    const { number } = header;
    // There is no state while a snapshot is installed.
    if (number === 0 && this.database.get(TABLES.facts, FACTS.trieBlock) === undefined) return;
    await checkFlatState(this.database, {
      source: this.store.states,
      best: { number, hash: hash!, stateRoot: outcome.stateRoot },
      report: (fault) => this.stateFault(fault),
      onValue: () => this.result.nodes++,
      signal,
    });
  }

  /**
   * Checks that parent links lead from the best block down to the earliest, and that there is no block above the best.
   */
  bestChain(): void {
    let hash = this.store.bestHash();
    let number = hash === undefined ? undefined : this.headerOf(hash, 0)?.number;
    if (hash === undefined || number === undefined) return;
    if (this.store.hashAt(number + 1) !== undefined) this.reportChain(number + 1, "above the best block");
    for (; number >= this.earliest; number--) {
      const indexed = this.store.hashAt(number);
      if (indexed === undefined || !equalBytes(indexed, hash))
        this.reportChain(number, "not the parent of the next block");
      if (!this.isListed(number, hash)) this.reportChain(number, "not among the known blocks of its number");
      const header = this.headerOf(hash, number);
      if (header === undefined) break;
      hash = header.parentHash;
    }
  }

  private isListed(number: number, hash: Uint8Array): boolean {
    return this.store.hashesAt(number).some((known) => equalBytes(known, hash));
  }

  private headerOf(hash: Uint8Array, number: number): BlockHeader | undefined {
    return this.read(
      () => this.store.header(hash),
      (reason) => this.reportChain(number, `block ${toHex(hash)}: ${reason}`),
    );
  }

  private reportChain(number: number, reason: string): void {
    this.report({ kind: "best-chain", number, reason });
  }

  private report(problem: DatabaseProblem): void {
    this.result.problems.push(problem);
  }
}

/**
 * Returns the keys of a diff if all its entries can be read: earlier records of the best chain, or values of another
 * block.
 */
function changedKeys(diff: Uint8Array, number: number, isBest: boolean): Uint8Array[] {
  return Array.from(decodeDiff(diff, number), ({ key, bytes }) => {
    if (isBest && bytes !== undefined) decodeRecord(bytes, key);
    return key.slice();
  });
}

type BlockPart = Extract<DatabaseProblem, { kind: "block" }>["what"];
type ReportPart = (what: BlockPart, reason?: string) => void;
