import type { Database, KeyValueReader, Table, Write } from "./database.js";
import { DatabaseError } from "./errors.js";
import { HashIndex } from "./hash-index.js";
import { mapKey } from "./keys.js";
import { WAITING_CHANGES } from "./measurements.js";

/** Changes that are written together. The latest change of a key takes precedence. */
class Batch {
  private readonly tables: (Map<string, Write> | undefined)[] = [];
  /** Changes of the table whose keys are hashes. */
  private readonly hashed: Write[] = [];
  private readonly hashIndex = new HashIndex(this.hashed);
  size = 0;

  constructor(private readonly hashTable: Table | undefined) {}

  add(change: Write): void {
    this.size++;
    if (change.table === this.hashTable) this.hashed.push(change);
    else this.table(change.table).set(mapKey(change.key), change);
  }

  get(table: Table, key: Uint8Array): Write | undefined {
    if (this.size === 0) return undefined;
    return table === this.hashTable ? this.hashIndex.get(key) : this.tables[table]?.get(mapKey(key));
  }

  private table(table: Table): Map<string, Write> {
    return (this.tables[table] ??= new Map());
  }

  all(): Write[] {
    const writes = this.hashed.slice();
    for (const changes of this.tables) for (const change of changes?.values() ?? []) writes.push(change);
    return writes;
  }
}

export interface WriteQueueOptions {
  /** A table whose keys are hashes of their values and whose entries are never changed or deleted. */
  hashTable?: Table;
  /** Number of changes in memory above which {@link WriteQueue.room} applies back-pressure. */
  capacity?: number;
  /**
   * Milliseconds for which changes are gathered before they are written; a key that changes often is then written once.
   */
  delay?: number;
}

const CAPACITY = 20_000;

/**
 * Writes in the background while the caller prepares the next changes. Changes not on disk yet are read from memory.
 * Sets of changes appended while a batch is being written form the next batch. Each set is written atomically, in
 * order.
 */
export class WriteQueue implements KeyValueReader {
  private gathering: Batch;
  private writing: Batch;
  private inProgress: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private failure: DatabaseError | undefined;
  /** Resolves when batches may be written again. */
  private held: Promise<void> | undefined;
  /** Ends the delay before the next batch. */
  private hurry: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly options: WriteQueueOptions = {},
  ) {
    this.gathering = this.newBatch();
    this.writing = this.newBatch();
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const write = this.gathering.get(table, key) ?? this.writing.get(table, key);
    return write === undefined ? this.database.get(table, key) : write.value;
  }

  /**
   * Appends an atomic set of changes. They can be read immediately; the promise resolves when they are on disk, in the
   * order of the calls. They wait up to `delay` milliseconds for other changes; those without a delay end the wait.
   * Rejects with {@link DatabaseError} `DATABASE_WRITE` if this or any earlier write failed.
   */
  append(changes: readonly Write[], delay = this.options.delay): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    for (const change of changes) this.gathering.add(change);
    WAITING_CHANGES.add(changes.length);
    if (delay === undefined) {
      this.hurry();
      if (this.next === undefined && this.inProgress === undefined && this.held === undefined) return this.flush();
    }
    return (this.next ??= this.flushLater(delay));
  }

  /** Number of changes that wait for the next batch. */
  get gathered(): number {
    return this.gathering.size;
  }

  /**
   * Writes nothing until the returned function is called. All changes until then are written with those that wait now,
   * as one set. While writing is on hold, {@link room} resolves immediately. Must not be called again before the
   * returned function.
   */
  hold(): () => void {
    let release = () => {};
    this.held = new Promise((resolve) => {
      release = () => {
        this.held = undefined;
        resolve();
      };
    });
    return release;
  }

  /** Resolves when there is room for more changes. Rejects if a batch has failed, since its changes are lost. */
  async room(): Promise<void> {
    const { capacity = CAPACITY } = this.options;
    const isFull = () => this.gathering.size + this.writing.size > capacity && this.held === undefined;
    while (isFull() && this.failure === undefined) {
      await (this.inProgress ?? this.written());
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /**
   * Resolves when all changes appended so far are on disk, without a delay; undefined if they are. Rejects as
   * {@link append} does.
   */
  written(): Promise<void> | undefined {
    this.hurry();
    return this.next ?? this.inProgress;
  }

  /** Resolves when no changes are pending. */
  async idle(): Promise<void> {
    while (this.next !== undefined || this.inProgress !== undefined) await this.written();
  }

  private async flushLater(delay: number | undefined): Promise<void> {
    await (delay === undefined ? this.inProgress : Promise.all([this.inProgress, this.pause(delay)]));
    while (this.held !== undefined) await this.held;
    return this.flush();
  }

  private flush(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.writing = this.gathering;
    this.gathering = this.newBatch();
    this.next = undefined;
    this.inProgress = this.database.write(this.writing.all()).then(
      () => this.finish(),
      (cause: unknown) => {
        // The changes of the failed batch stay readable, like later ones.
        this.inProgress = undefined;
        this.failure = new DatabaseError({ code: "DATABASE_WRITE", reason: String(cause) }, { cause });
        throw this.failure;
      },
    );
    return this.inProgress;
  }

  private pause(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private finish(): void {
    WAITING_CHANGES.add(-this.writing.size);
    this.writing = this.newBatch();
    this.inProgress = undefined;
  }

  private newBatch(): Batch {
    return new Batch(this.options.hashTable);
  }
}
