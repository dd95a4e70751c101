import { type Database, type KeyValueReader, mapKey, type Write } from "./database.js";
import { ChainError } from "./errors.js";
import { NodeIndex } from "./node-index.js";
import { TABLES, type Table } from "./tables.js";

/** Changes of some blocks that are written together. The latest change of a key is the one that counts. */
class Batch {
  private readonly tables: (Map<string, Write> | undefined)[] = [];
  /** State nodes, which only ever are added. */
  private readonly nodes: Write[] = [];
  private readonly nodeIndex = new NodeIndex(this.nodes);
  size = 0;

  add(change: Write): void {
    this.size++;
    if (change.table === TABLES.stateNodes) this.nodes.push(change);
    else this.table(change.table).set(mapKey(change.key), change);
  }

  get(table: Table, key: Uint8Array): Write | undefined {
    if (this.size === 0) return undefined;
    return table === TABLES.stateNodes ? this.nodeIndex.get(key) : this.tables[table]?.get(mapKey(key));
  }

  private table(table: Table): Map<string, Write> {
    return (this.tables[table] ??= new Map());
  }

  all(): Write[] {
    const writes = this.nodes.slice();
    for (const changes of this.tables) for (const change of changes?.values() ?? []) writes.push(change);
    return writes;
  }
}

/**
 * Writes in the background while the next block executes. What is not on disk yet is read from memory. Changes handed
 * over while a batch is under way form the next batch, so that a block is always written whole and after its parent.
 */
export class WriteQueue implements KeyValueReader {
  private gathering = new Batch();
  private writing = new Batch();
  private underWay: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private failure: ChainError | undefined;

  constructor(
    private readonly database: Database,
    /** Changes in memory above which {@link room} makes the caller wait. */
    private readonly capacity = 20_000,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const write = this.gathering.get(table, key) ?? this.writing.get(table, key);
    return write === undefined ? this.database.get(table, key) : write.value;
  }

  /**
   * Takes one atomic set of changes. They can be read at once; the promise settles when they are on disk, in the order
   * of the calls. Rejects with {@link ChainError} `DATABASE_WRITE`, from then on for every further call.
   */
  append(changes: readonly Write[]): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    for (const change of changes) this.gathering.add(change);
    if (this.underWay === undefined) return this.flush();
    this.next ??= this.underWay.then(() => this.flush());
    return this.next;
  }

  /** Resolves when there is room for another block. Rejects once a batch has failed: what it held is lost. */
  async room(): Promise<void> {
    while (this.gathering.size + this.writing.size > this.capacity && this.underWay !== undefined) await this.underWay;
    if (this.failure !== undefined) throw this.failure;
  }

  /** Settles when what was appended until now is on disk; undefined if it is. Rejects as {@link append} did. */
  written(): Promise<void> | undefined {
    return this.next ?? this.underWay;
  }

  /** Resolves when nothing is waiting any more. */
  async idle(): Promise<void> {
    while (this.next !== undefined || this.underWay !== undefined) await this.written();
  }

  private flush(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.writing = this.gathering;
    this.gathering = new Batch();
    this.next = undefined;
    this.underWay = this.database.write(this.writing.all()).then(
      () => this.finish(),
      (cause: unknown) => {
        this.finish();
        this.failure = new ChainError({ code: "DATABASE_WRITE", reason: String(cause) }, { cause });
        throw this.failure;
      },
    );
    return this.underWay;
  }

  private finish(): void {
    this.writing = new Batch();
    this.underWay = undefined;
  }
}
