import { type Database, type KeyValueReader, mapKey, type Write } from "./database.js";
import { ChainError } from "./errors.js";

/**
 * Writes in the background while the next block executes. What is not on disk yet is read from memory. Changes handed
 * over while a batch is under way form the next batch, so that a block is always written whole and after its parent.
 */
export class WriteQueue implements KeyValueReader {
  private gathering = new Map<string, Write>();
  private writing = new Map<string, Write>();
  private underWay: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private failure: ChainError | undefined;

  constructor(
    private readonly database: Database,
    /** Changes in memory above which {@link room} makes the caller wait. */
    private readonly capacity = 100_000,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    if (this.gathering.size > 0 || this.writing.size > 0) {
      const name = mapKey(key);
      const write = this.gathering.get(name) ?? this.writing.get(name);
      if (write !== undefined) return write.value;
    }
    return this.database.get(key);
  }

  /**
   * Takes one atomic set of changes. They can be read at once; the promise settles when they are on disk, in the order
   * of the calls. Rejects with {@link ChainError} `DATABASE_WRITE`, from then on for every further call.
   */
  append(changes: readonly Write[]): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    for (const change of changes) this.gathering.set(mapKey(change.key), change);
    if (this.underWay === undefined) return this.flush();
    this.next ??= this.underWay.then(() => this.flush());
    return this.next;
  }

  /** Resolves when there is room for another block. */
  async room(): Promise<void> {
    while (this.gathering.size + this.writing.size > this.capacity && this.underWay !== undefined) await this.underWay;
  }

  /** Resolves when nothing is waiting any more. */
  async idle(): Promise<void> {
    while (this.next !== undefined || this.underWay !== undefined) await (this.next ?? this.underWay);
  }

  private flush(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.writing = this.gathering;
    this.gathering = new Map();
    this.next = undefined;
    this.underWay = this.database.write([...this.writing.values()]).then(
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
    this.writing = new Map();
    this.underWay = undefined;
  }
}
