import type { NetworkConfig } from "@cambium/config";
import {
  bigintToBytes,
  bytesToBigint,
  concatBytes,
  decodeRlpList,
  EMPTY_BYTES,
  encodeRlp,
  equalBytes,
  keccak256,
  lastIndexOfBytes,
  numberToBytes,
  RlpItem,
  utf8,
} from "@cambium/primitives";
import { reportCodecWork } from "./codec-work.js";
import { readingRlp, TypesError } from "./errors.js";
import { encodeExtension, extensionData, extensionHash, type HeaderExtension } from "./extension.js";
import { type HeaderOptions, headerOptions, OUT_OF_RANGE, parseHeader } from "./header-decoding.js";
import type { HeaderFields } from "./interface.js";
import { byteBytes, edgesBytes, signedCoinBytes } from "./scalars.js";

/**
 * The encodings of `spec/01 §2.2`: `full` (block body, storage, wire, uncles hash), `hash` (input of the block hash),
 * `compressed` (compact transfer), `mergedMining` (input of the merged-mining base hash), `spv` (raw-header RPC).
 */
export type HeaderForm = "full" | "hash" | "compressed" | "mergedMining" | "spv";

const TAG = utf8("RSKBLOCK:");
/** Bytes of the base hash that remain when fork-detection data follows (RSKIP-110). */
const PREFIX = 20;
const FORK_DETECTION_DATA = 12;

/** Fields that the base hash leaves out. */
const MINING_FIELDS: ReadonlySet<string> = new Set(["parentChainHeader", "merkleProof", "parentChainCoinbase"]);

/** A block header. Immutable; hashes are computed once, on request. Field meanings: {@link HeaderFields}. */
export class BlockHeader implements Readonly<HeaderFields> {
  readonly parentHash: Uint8Array;
  readonly unclesHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Uint8Array;
  readonly difficulty: bigint | null;
  readonly number: number;
  readonly gasLimit: Uint8Array;
  readonly gasUsed: number;
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  readonly paidFees: bigint;
  readonly minimumGasPrice: bigint | null;
  readonly uncleCount: number;
  readonly ummRoot: Uint8Array | null;
  readonly version: 0 | 1 | 2;
  readonly executionEdges: readonly number[] | null;
  readonly baseEvent: Uint8Array | null;
  readonly parentChainHeader: Uint8Array | null;
  readonly merkleProof: Uint8Array | null;
  readonly parentChainCoinbase: Uint8Array | null;

  #hash: Uint8Array | undefined;
  #baseHash: Uint8Array | undefined;
  #forkDetectionData: Uint8Array | undefined;
  #mergedMiningHash: Uint8Array | undefined;

  /** Prefer {@link create} or {@link decode}, which derive the options from the network's rules. */
  constructor(
    fields: HeaderFields,
    readonly options: HeaderOptions,
  ) {
    this.parentHash = fields.parentHash;
    this.unclesHash = fields.unclesHash;
    this.coinbase = fields.coinbase;
    this.stateRoot = fields.stateRoot;
    this.transactionsRoot = fields.transactionsRoot;
    this.receiptsRoot = fields.receiptsRoot;
    this.logsBloom = fields.logsBloom;
    this.difficulty = fields.difficulty;
    this.number = fields.number;
    this.gasLimit = fields.gasLimit;
    this.gasUsed = fields.gasUsed;
    this.timestamp = fields.timestamp;
    this.extraData = fields.extraData;
    this.paidFees = fields.paidFees;
    this.minimumGasPrice = fields.minimumGasPrice;
    this.uncleCount = fields.uncleCount;
    this.ummRoot = fields.ummRoot;
    this.version = fields.version;
    this.executionEdges = fields.executionEdges;
    this.baseEvent = fields.baseEvent;
    this.parentChainHeader = fields.parentChainHeader;
    this.merkleProof = fields.merkleProof;
    this.parentChainCoinbase = fields.parentChainCoinbase;
  }

  /**
   * Creates a header under construction. A template of height 449 and above without mining fields commits to
   * `forkDetectionData` (`spec/03 §5.2`).
   */
  static create(fields: HeaderFields, network: NetworkConfig, forkDetectionData?: Uint8Array): BlockHeader {
    return new BlockHeader(fields, { ...headerOptions(network, fields.number), forkDetectionData });
  }

  /**
   * Decodes a header by the rules of `spec/01 §2.6`; non-canonical bytes are re-encoded differently. The header keeps
   * views of `data`. Throws {@link TypesError} if it is malformed.
   */
  static decode(data: Uint8Array | RlpItem, network: NetworkConfig, form: "full" | "compressed" = "full"): BlockHeader {
    reportCodecWork("header");
    return readingRlp("HEADER_MALFORMED", () => {
      const items = data instanceof RlpItem ? data.items : decodeRlpList(data);
      const { fields, options } = parseHeader(items, network, form);
      return new BlockHeader(fields, options);
    });
  }

  /** Returns a copy with some fields changed, and its own hashes. */
  with(changes: Partial<HeaderFields>): BlockHeader {
    const copy = new BlockHeader({ ...this, ...changes }, this.options);
    if (Object.keys(changes).every((name) => MINING_FIELDS.has(name))) copy.#baseHash = this.#baseHash;
    return copy;
  }

  /** The fields as plain data. */
  fields(): HeaderFields {
    const { options: _options, ...fields } = this;
    return fields as unknown as HeaderFields;
  }

  /** Block hash, 32 bytes. */
  get hash(): Uint8Array {
    this.#hash ??= keccak256(this.encode("hash"));
    return this.#hash;
  }

  /** The difficulty; 0 if the field is empty. */
  get difficultyValue(): bigint {
    return this.difficulty ?? 0n;
  }

  /** The raw gas limit as a number (`spec/02 §10`, Q6: execution uses another rule, see gasValue). */
  get gasLimitValue(): bigint {
    return bytesToBigint(this.gasLimit);
  }

  /** The minimum gas price, signed; 0 if the field is empty. */
  get minimumGasPriceValue(): bigint {
    return this.minimumGasPrice ?? 0n;
  }

  /** Whether any of the merged-mining byte strings is non-empty; otherwise none of them is encoded. */
  get hasMiningFields(): boolean {
    return !(isEmpty(this.parentChainHeader) && isEmpty(this.merkleProof) && isEmpty(this.parentChainCoinbase));
  }

  /** Whether bloom, edges and base event are known: false in a compressed header until {@link withExtension}. */
  get hasExtension(): boolean {
    return this.options.extensionData === undefined;
  }

  /**
   * Encodes the header. Throws {@link TypesError} `EXTENSION_UNKNOWN` for uncompressed forms of a header without its
   * extension.
   */
  encode(form: HeaderForm): Uint8Array {
    const compressed = form === "hash" || form === "compressed" || form === "mergedMining";
    const items = [...this.baseItems(compressed)];
    if (this.ummRoot !== null) items.push(this.ummRoot);
    this.pushVersionItems(items, compressed);
    if (form !== "mergedMining" && this.hasMiningFields) {
      items.push(this.parentChainHeader ?? EMPTY_BYTES);
      const withProof = form === "full" || form === "compressed" || !this.options.shortHash;
      if (withProof) items.push(this.merkleProof ?? EMPTY_BYTES, this.parentChainCoinbase ?? EMPTY_BYTES);
    }
    return encodeRlp(items);
  }

  private baseItems(compressed: boolean): Uint8Array[] {
    return [
      this.parentHash,
      this.unclesHash,
      this.coinbase,
      this.stateRoot,
      this.transactionsRoot,
      this.receiptsRoot,
      compressed && this.version !== 0 ? this.extensionData : this.uncompressedBloom(),
      this.options.difficultyBytes ?? signedCoinBytes(this.difficulty),
      this.countBytes("number"),
      this.gasLimit,
      this.countBytes("gasUsed"),
      bigintToBytes(this.timestamp),
      this.extraData,
      bigintToBytes(this.paidFees),
      signedCoinBytes(this.minimumGasPrice),
      numberToBytes(this.uncleCount),
    ];
  }

  private countBytes(field: "number" | "gasUsed"): Uint8Array {
    const value = this[field];
    const exact = value === OUT_OF_RANGE ? this.options.outOfRange?.[field] : undefined;
    return exact === undefined ? numberToBytes(value) : bigintToBytes(exact);
  }

  /** Adds the items of a version (`spec/01 §2.3`); the edges come before the base event, unlike in the extension. */
  private pushVersionItems(items: Uint8Array[], compressed: boolean): void {
    if (compressed && this.version !== 0) return;
    if (this.version !== 0) items.push(byteBytes(this.version));
    if (this.executionEdges !== null) items.push(edgesBytes(this.executionEdges));
    if (this.version === 2) items.push(this.baseEvent ?? EMPTY_BYTES);
    else if (this.version === 0 && this.baseEvent !== null) items.push(this.baseEvent);
  }

  private uncompressedBloom(): Uint8Array {
    if (this.hasExtension) return this.logsBloom;
    throw new TypesError({ code: "EXTENSION_UNKNOWN", reason: "header without its extension" });
  }

  /** Field that replaces the bloom of versions 1 and 2 in compressed forms; as received if the extension is unknown. */
  private get extensionData(): Uint8Array {
    return this.options.extensionData ?? extensionData(this.extension);
  }

  /** The extension of a header of version 1 or 2. Throws {@link TypesError} `EXTENSION_UNKNOWN` if there is none. */
  get extension(): HeaderExtension {
    if (this.version === 0) throw new TypesError({ code: "EXTENSION_UNKNOWN", reason: "version 0 has none" });
    return {
      version: this.version,
      logsBloom: this.uncompressedBloom(),
      baseEvent: this.baseEvent,
      executionEdges: this.executionEdges,
    };
  }

  /** Hash of the extension, 32 bytes. Throws {@link TypesError} `EXTENSION_UNKNOWN` if there is none. */
  get extensionHash(): Uint8Array {
    return extensionHash(this.extension);
  }

  /** Encodes the extension as sent with a body. Throws {@link TypesError} `EXTENSION_UNKNOWN` if there is none. */
  encodeExtension(): Uint8Array {
    return encodeExtension(this.extension);
  }

  /**
   * Completes a compressed header. Throws {@link TypesError} `EXTENSION_MISMATCH` if the header does not commit to the
   * extension (`spec/02 §10`, Q23: stricter than the deployed client, with the same outcome for honest data).
   */
  withExtension(extension: HeaderExtension): BlockHeader {
    const committed = this.options.extensionData;
    if (committed === undefined || extension.version !== this.version) {
      throw new TypesError({ code: "EXTENSION_MISMATCH", reason: "wrong version, or the extension is already known" });
    }
    if (!equalBytes(extensionData(extension), committed)) {
      throw new TypesError({ code: "EXTENSION_MISMATCH", reason: "hash" });
    }
    const { extensionData: _known, ...options } = this.options;
    const { logsBloom, baseEvent, executionEdges } = extension;
    return new BlockHeader({ ...this, logsBloom, baseEvent, executionEdges }, options);
  }

  /** Hash of the merged-mining base, including `ummRoot` (`spec/01 §2.5`). */
  private get baseHash(): Uint8Array {
    this.#baseHash ??= this.computeBaseHash();
    return this.#baseHash;
  }

  private computeBaseHash(): Uint8Array {
    const hash = keccak256(this.encode("mergedMining"));
    if (isEmpty(this.ummRoot)) return hash;
    if (this.ummRoot!.length !== 20) {
      throw new TypesError({ code: "HEADER_FIELD", field: "ummRoot", reason: `${this.ummRoot!.length} bytes` });
    }
    return keccak256(concatBytes(hash.subarray(0, PREFIX), this.ummRoot!));
  }

  /**
   * The 12 bytes of RSKIP-110, empty if the header has none. A mined header contains them in its parent-chain coinbase.
   * Throws {@link TypesError} `FORK_DETECTION_DATA` if they cannot be found.
   */
  get forkDetectionData(): Uint8Array {
    this.#forkDetectionData ??= this.findForkDetectionData();
    return this.#forkDetectionData;
  }

  private findForkDetectionData(): Uint8Array {
    if (!this.options.forkDetection) return EMPTY_BYTES;
    if (this.hasMiningFields) return this.extractForkDetectionData();
    const preset = this.options.forkDetectionData;
    if (preset?.length === FORK_DETECTION_DATA) return preset;
    throw new TypesError({ code: "FORK_DETECTION_DATA", reason: "neither mined nor preset" });
  }

  private extractForkDetectionData(): Uint8Array {
    const coinbase = this.parentChainCoinbase ?? EMPTY_BYTES;
    const position = lastIndexOfBytes(coinbase, concatBytes(TAG, this.baseHash.subarray(0, PREFIX)));
    if (position === -1) throw new TypesError({ code: "FORK_DETECTION_DATA", reason: "tag and hash not in coinbase" });
    const start = position + TAG.length + PREFIX;
    if (start + FORK_DETECTION_DATA > coinbase.length) {
      throw new TypesError({ code: "FORK_DETECTION_DATA", reason: "truncated coinbase" });
    }
    return coinbase.subarray(start, start + FORK_DETECTION_DATA);
  }

  /**
   * The 32 bytes that the parent-chain coinbase must contain (`spec/01 §2.5`). Throws {@link TypesError}
   * `FORK_DETECTION_DATA`, or `HEADER_FIELD` if `ummRoot` has a wrong length.
   */
  get hashForMergedMining(): Uint8Array {
    this.#mergedMiningHash ??= this.computeMergedMiningHash();
    return this.#mergedMiningHash;
  }

  private computeMergedMiningHash(): Uint8Array {
    const data = this.forkDetectionData;
    return data.length === 0 ? this.baseHash : concatBytes(this.baseHash.subarray(0, PREFIX), data);
  }
}

function isEmpty(bytes: Uint8Array | null): boolean {
  return bytes === null || bytes.length === 0;
}
