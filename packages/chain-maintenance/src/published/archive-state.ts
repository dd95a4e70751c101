import { placedParts, TrieError } from "@cambium/trie";
import { PublishedStateError } from "./errors.js";
import type { HashFile } from "./hash-file.js";
import { HashedContents, RecordHasher } from "./hashed-contents.js";

/**
 * Maximum number of different nodes and values, nearly four times those of main in 2026. Their index takes 0.4 GB at
 * most.
 */
const MAX_ELEMENTS = 28_000_000;
/**
 * Maximum number of visits per node, and of bytes that are read per byte of the archive. Parts of a state that occur
 * many times are visited each time.
 */
const MAX_REPEATS = 64;
/** Bytes that may be read in any case: small networks deploy the same contract many times. */
const MIN_READ = 2 ** 28;
/** Longer values are stored separately from their nodes. */
const LONG_VALUE = 32;

/** A node or value of a state, as `StateChunkSink` receives it. */
export type StatePart =
  | { kind: "node"; content: Uint8Array; hash: Uint8Array; place: Uint8Array }
  | { kind: "value"; content: Uint8Array; key: Uint8Array; hash: Uint8Array | undefined };

/** The nodes and long values of an archive, each once. */
export class ArchiveState {
  private readonly hasher = new RecordHasher();
  private readonly addedNodes: HashedContents;
  private readonly addedValues: HashedContents;

  constructor(
    private readonly nodes: HashFile,
    private readonly values: HashFile,
  ) {
    this.addedNodes = new HashedContents(nodes, this.hasher);
    this.addedValues = new HashedContents(values, this.hasher);
  }

  /** Whether there is a node. */
  get isPresent(): boolean {
    return this.nodes.size > 0;
  }

  /** Share of the nodes that were visited. */
  get share(): number {
    return this.nodes.used / this.nodes.size;
  }

  /**
   * Adds a node. If it returns a promise, nothing may be added before that resolves. Rejects with
   * {@link PublishedStateError} `ARCHIVE_LIMIT`, `ThreadError`, or file errors.
   */
  addNode(message: Uint8Array): Promise<void> | undefined {
    return this.addedNodes.add(message)?.then(this.requireFew);
  }

  /**
   * Adds a value as {@link addNode} does a node. Throws {@link PublishedStateError} `ARCHIVE_STATE` if its node
   * contains the value itself.
   */
  addValue(value: Uint8Array): Promise<void> | undefined {
    if (value.length <= LONG_VALUE) throw refused(`a value of ${value.length} bytes, which its node contains`);
    return this.addedValues.add(value)?.then(this.requireFew);
  }

  /** Resolves when everything added is in the files. Rejects as {@link addNode} does. */
  async finish(): Promise<void> {
    await this.addedNodes.finish();
    await this.addedValues.finish();
    this.requireFew();
  }

  /** Ends the thread that hashes. */
  async close(): Promise<void> {
    await this.hasher.close();
  }

  private readonly requireFew = (): void => {
    if (this.nodes.size + this.values.size <= MAX_ELEMENTS) return;
    throw new PublishedStateError({ code: "ARCHIVE_LIMIT", what: "nodes and values", maximum: MAX_ELEMENTS });
  };

  /**
   * Rebuilds the state from its root, in key order (`spec/10 §4`, point 4), with subtrees of up to `packedLimit` bytes
   * as one record. Throws {@link PublishedStateError} `ARCHIVE_STATE` if a part is missing, malformed or left over,
   * which shows at the end only.
   */
  *rebuild(root: Uint8Array, packedLimit: number): Generator<StatePart> {
    this.nodes.seal();
    this.values.seal();
    let visits = MAX_REPEATS * this.nodes.size;
    let bytes = Math.max(MAX_REPEATS * (this.nodes.bytes + this.values.bytes), MIN_READ);
    let at = root;
    const read = (hash: Uint8Array) => {
      at = hash;
      if (--visits < 0) throw refused("its nodes repeat too often", hash);
      const content = this.nodes.use(hash);
      if (content === undefined) throw refused("a node is missing", hash);
      return content;
    };
    try {
      for (const part of placedParts(read, root, packedLimit)) {
        if (part.kind === "value") {
          const { key, value, hash, length } = part;
          const content = value ?? this.longValue(hash!, length);
          bytes -= content.length;
          if (bytes < 0) throw refused("its values repeat too often", hash);
          yield { kind: "value", content, key, hash };
        } else yield part;
      }
    } catch (error) {
      if (error instanceof TrieError) throw refused(`a node is malformed: ${error.message}`, at);
      throw error;
    }
    this.requireAllUsed();
  }

  private longValue(hash: Uint8Array, length: number): Uint8Array {
    const value = this.values.use(hash);
    if (value === undefined) throw refused("a value is missing", hash);
    if (value.length !== length) throw refused(`a value has ${value.length} bytes, its node says ${length}`, hash);
    return value;
  }

  private requireAllUsed(): void {
    for (const [what, { size, used }] of Object.entries({ nodes: this.nodes, values: this.values })) {
      if (used < size) throw refused(`${size - used} ${what} do not belong to the state`);
    }
  }
}

function refused(reason: string, hash?: Uint8Array): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_STATE", reason, hash });
}
