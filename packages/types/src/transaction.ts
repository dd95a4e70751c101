import { REWARD_SENDER } from "@cambium/config";
import {
  allocateBytes,
  bigintToBytes,
  bytesToBigint,
  contractAddress,
  decodeRlpList,
  EMPTY_BYTES,
  encodeRlp,
  keccak256,
  RlpItem,
  SECP256K1_N,
} from "@cambium/primitives";
import { readingRlp } from "./errors.js";
import { byteBytes, nonNullZeroCoinBytes } from "./scalars.js";
import { RECOVERY_INPUT_LENGTH, recoverSender } from "./sender-recovery.js";
import {
  parseTransaction,
  type TransactionFields,
  type TransactionSignature,
  writeV,
  wrongTransaction,
} from "./transaction-decoding.js";

const HALF_N = SECP256K1_N / 2n;
const MAX_COIN = 1n << 255n;

/**
 * A transaction (`spec/01 §3.2`). Immutable, except that the sender is recovered on first use or set from outside. Hash
 * and encoding are computed from the fields, never from the received bytes.
 */
export class Transaction {
  /** Nonce as received raw bytes. */
  readonly nonceBytes: Uint8Array;
  /** Gas price; null encodes as 80 and zero as 00; both mean price 0 ({@link gasPrice}). */
  readonly gasPriceOrNull: bigint | null;
  /** Gas limit as received raw bytes; an empty limit is invalid in a block. Execution reads them with `gasValue`. */
  readonly gasLimitBytes: Uint8Array;
  /** Recipient, 20 bytes, or empty for a contract creation. */
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Signature; null if the transaction is unsigned. */
  readonly signature: TransactionSignature | null;
  /** Chain id of the signature; 0 if it is a legacy one. */
  readonly chainId: number;
  /** Whether this is the unsigned transaction to the reward contract that ends its block (`spec/05 §2.2`). */
  readonly isReward: boolean;

  #encoded: Uint8Array | undefined;
  #hash: Uint8Array | undefined;
  #signingHash: Uint8Array | undefined;
  /** Sender; empty if no key can be recovered. */
  #sender: Uint8Array | undefined;

  constructor(fields: TransactionFields) {
    this.nonceBytes = fields.nonce;
    this.gasPriceOrNull = fields.gasPrice;
    this.gasLimitBytes = fields.gasLimit;
    this.to = fields.to;
    this.value = fields.value;
    this.data = fields.data;
    this.signature = fields.signature;
    this.chainId = fields.signature?.chainId ?? fields.unsignedChainId;
    this.isReward = fields.isReward;
  }

  /**
   * Decodes one transaction: a list, or a string that contains one list. `isLast` marks the last transaction of a
   * block, the only possible position of a reward transaction. Keeps views of `data`. Throws {@link TypesError} if it
   * is malformed.
   */
  static decode(data: Uint8Array | RlpItem, isLast = false): Transaction {
    return readingRlp("TRANSACTION_MALFORMED", () => {
      const isItem = data instanceof RlpItem;
      const items = isItem && data.isList ? data.items : decodeRlpList(isItem ? data.bytes : data);
      return new Transaction(parseTransaction(items, isLast));
    });
  }

  get nonce(): bigint {
    return bytesToBigint(this.nonceBytes);
  }

  get gasPrice(): bigint {
    return this.gasPriceOrNull ?? 0n;
  }

  /** The gas limit: its raw bytes as a number. */
  get gasLimit(): bigint {
    return bytesToBigint(this.gasLimitBytes);
  }

  get isCreation(): boolean {
    return this.to.length === 0;
  }

  get isSigned(): boolean {
    return this.signature !== null;
  }

  /** The encoded v byte, undefined if the transaction is unsigned. */
  get v(): number | undefined {
    return this.signature === null ? undefined : writeV(this.signature);
  }

  /** The r of the signature; 0 if the transaction is unsigned. */
  get r(): bigint {
    return this.signature === null ? 0n : bytesToBigint(this.signature.r);
  }

  /** The s of the signature; 0 if the transaction is unsigned. */
  get s(): bigint {
    return this.signature === null ? 0n : bytesToBigint(this.signature.s);
  }

  /** Canonical encoding, whose hash is the transaction's. */
  get encoded(): Uint8Array {
    this.#encoded ??= encodeRlp([...this.unsignedItems(), ...this.signatureItems()]);
    return this.#encoded;
  }

  get hash(): Uint8Array {
    this.#hash ??= keccak256(this.encoded);
    return this.#hash;
  }

  /** Length of the canonical encoding. */
  get size(): number {
    return this.encoded.length;
  }

  /** Hash to be signed: of six items, followed by the chain id and two empty items unless the chain id is 0. */
  get signingHash(): Uint8Array {
    if (this.#signingHash === undefined) {
      const items = this.unsignedItems();
      if (this.chainId !== 0) items.push(byteBytes(this.chainId), EMPTY_BYTES, EMPTY_BYTES);
      this.#signingHash = keccak256(encodeRlp(items));
    }
    return this.#signingHash;
  }

  private unsignedItems(): Uint8Array[] {
    const zeroNonce = this.nonceBytes.length === 1 && this.nonceBytes[0] === 0;
    return [
      zeroNonce ? EMPTY_BYTES : this.nonceBytes,
      nonNullZeroCoinBytes(this.gasPriceOrNull),
      this.gasLimitBytes,
      this.to,
      bigintToBytes(this.value),
      this.data,
    ];
  }

  private signatureItems(): Uint8Array[] {
    if (this.signature === null) return [byteBytes(this.chainId), EMPTY_BYTES, EMPTY_BYTES];
    return [byteBytes(writeV(this.signature)), this.signature.r, this.signature.s];
  }

  /**
   * Address of the signer (`spec/01 §3.3`), recovered on first use; the single byte 00 for a reward transaction.
   * Undefined if the transaction is unsigned or no key can be recovered.
   */
  get sender(): Uint8Array | undefined {
    this.#sender ??= this.findSender();
    return this.#sender.length === 0 ? undefined : this.#sender;
  }

  private findSender(): Uint8Array {
    if (this.isReward) return REWARD_SENDER;
    const input = this.recoveryInput();
    return input === undefined ? EMPTY_BYTES : recoverSender(input);
  }

  /**
   * Sets the sender from a result of `recoverSender` (empty if there is no key); does nothing if the sender is known.
   */
  setSender(address: Uint8Array): void {
    if (!this.isReward) this.#sender ??= address;
  }

  /** Whether {@link sender} is known without a recovery. */
  get hasSender(): boolean {
    return this.#sender !== undefined || this.signature === null;
  }

  /** Input of `recoverSender`, undefined if the transaction is unsigned or its r or s exceeds 32 bytes. */
  recoveryInput(): Uint8Array | undefined {
    const signature = this.signature;
    if (signature === null || signature.r.length > 32 || signature.s.length > 32) return undefined;
    const input = allocateBytes(RECOVERY_INPUT_LENGTH);
    input.set(this.signingHash, 0);
    input.set(signature.r, 64 - signature.r.length);
    input.set(signature.s, 96 - signature.s.length);
    input[96] = signature.recovery;
    return input;
  }

  /** Address of the contract that a creation creates, undefined if there is no sender. */
  get createdAddress(): Uint8Array | undefined {
    const sender = this.sender;
    return sender === undefined ? undefined : contractAddress(sender, this.nonce);
  }

  /**
   * Whether the signature is acceptable on a chain, at all heights (`spec/01 §3.3`): r and s in range, s strictly below
   * floor(n / 2), and chain id 0 or the chain's. A reward transaction needs no signature.
   */
  acceptSignature(chainId: number): boolean {
    if (this.isReward) return true;
    if (this.signature === null || (this.chainId !== 0 && this.chainId !== chainId)) return false;
    const { r, s } = this;
    return r >= 1n && r < SECP256K1_N && s >= 1n && s < HALF_N;
  }

  /**
   * Performs the field checks of block validation (`spec/01 §3.3`, end). Throws {@link TypesError} `TRANSACTION_FIELD`
   * if one fails.
   */
  verifyFields(): void {
    if (this.nonceBytes.length > 32) throw wrongTransaction("nonce", "over 32 bytes");
    if (this.gasLimitBytes.length === 0) throw wrongTransaction("gasLimit", "empty");
    if (this.gasLimitBytes.length > 32) throw wrongTransaction("gasLimit", "over 32 bytes");
    if (this.gasPrice >= MAX_COIN) throw wrongTransaction("gasPrice", "2^255 or more");
    if (this.value >= MAX_COIN) throw wrongTransaction("value", "2^255 or more");
    if (this.signature === null) return;
    if (this.signature.r.length > 32) throw wrongTransaction("r", "over 32 bytes");
    if (this.signature.s.length > 32) throw wrongTransaction("s", "over 32 bytes");
    if (this.sender === undefined) throw wrongTransaction("sender", "no key can be recovered");
  }
}
