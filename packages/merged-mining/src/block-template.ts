import { concatBytes, fromHex, joinBytes, reverseBytes } from "@cambium/primitives";
import { checkTag, compressCoinbase, splitCoinbase, TAG } from "./coinbase.js";
import { merkleBranch } from "./merkle-proof.js";
import { encodeParentHeader } from "./parent-header.js";
import { transactionId } from "./parent-transaction.js";

/**
 * The members of the parent node's `getblocktemplate` from which a block is built (BIP-22, BIP-23, BIP-145). Values are
 * as the node sends them: hex, hashes in display order, amounts in satoshis, times in seconds.
 */
export interface BlockTemplate {
  version: number;
  height: number;
  previousblockhash: string;
  curtime: number;
  /** Compact target. */
  bits: string;
  /** The target as 32 bytes. */
  target: string;
  coinbasevalue: number;
  transactions: readonly { data: string; txid: string }[];
  /** Script of the output that commits to the witnesses (BIP-141); absent before segregated witness. */
  default_witness_commitment?: string;
}

/** Positions of the tag in the coinbase: the last output, of value 0, or the script of its input. */
export const TAG_PLACES = ["output", "script"] as const;
export type TagPlace = (typeof TAG_PLACES)[number];

export interface CoinbaseRequest {
  /** 32 bytes: `blockHashForMergedMining` of `mnr_getWork`. */
  hashForMergedMining: Uint8Array;
  /** Script of the output that receives subsidy and fees. */
  payoutScript: Uint8Array;
  tagPlace?: TagPlace;
  /** Number of bytes between the parts; 1 to 32, by default 8. */
  extraNonceBytes?: number;
}

/** Bytes before and after the extra nonce of a coinbase, in the form without witness. */
export interface CoinbaseParts {
  before: Uint8Array;
  after: Uint8Array;
  extraNonceBytes: number;
}

const VERSION = fromHex("02000000");
const LOCK_TIME = new Uint8Array(4);
const OUTPOINT = concatBytes(new Uint8Array(32), new Uint8Array(4).fill(0xff));
const SEQUENCE = new Uint8Array(4).fill(0xff);
const OP_RETURN = 0x6a;
const WITNESS_MARKER = fromHex("0001");
/** Witness stack with one item of 32 zero bytes, which the witness commitment covers (BIP-141). */
const RESERVED_WITNESS = concatBytes(fromHex("0120"), new Uint8Array(32));

/**
 * Builds the parts of a coinbase with the tag. Throws {@link MergedMiningError} `TAG_TRAILING_BYTES` if more than 128
 * bytes follow the tag. A long payout script may cause that if the tag is in the input's script (`spec/03 §3.4`).
 */
export function coinbaseParts(template: BlockTemplate, request: CoinbaseRequest): CoinbaseParts {
  const { hashForMergedMining, payoutScript, tagPlace = "output", extraNonceBytes = 8 } = request;
  const tag = push(concatBytes(TAG, hashForMergedMining));
  const outputs = [output(BigInt(template.coinbasevalue), payoutScript)];
  const commitment = template.default_witness_commitment;
  if (commitment !== undefined) outputs.push(output(0n, fromHex(commitment)));
  if (tagPlace === "output") outputs.push(output(0n, concatBytes(Uint8Array.of(OP_RETURN), tag)));

  const scriptStart = concatBytes(heightPush(template.height), Uint8Array.of(extraNonceBytes));
  const scriptEnd = tagPlace === "script" ? tag : new Uint8Array(0);
  const scriptLength = scriptStart.length + extraNonceBytes + scriptEnd.length;
  const before = concatBytes(VERSION, Uint8Array.of(1), OUTPOINT, Uint8Array.of(scriptLength), scriptStart);
  const after = joinBytes([scriptEnd, SEQUENCE, Uint8Array.of(outputs.length), ...outputs, LOCK_TIME]);
  const parts = { before, after, extraNonceBytes };
  const coinbase = joinCoinbase(parts, new Uint8Array(extraNonceBytes));
  checkTag(splitCoinbase(compressCoinbase(coinbase)).tail, hashForMergedMining);
  return parts;
}

/** Joins the coinbase without witness, as `mnr_submit…` and the Merkle tree need it. */
export function joinCoinbase({ before, after }: CoinbaseParts, extraNonce: Uint8Array): Uint8Array {
  return concatBytes(before, extraNonce, after);
}

/** A block to be solved; hashes in internal order. */
export interface TemplateBlock {
  /** 80 bytes, with nonce 0. */
  header: Uint8Array;
  /** Serialised transactions. The first one is the coinbase, without witness. */
  transactions: readonly Uint8Array[];
  ids: readonly Uint8Array[];
  /** Merkle branch of the coinbase, from the leaf level up. */
  siblings: readonly Uint8Array[];
}

/** Builds the block of a template with a coinbase from {@link joinCoinbase}. */
export function templateBlock(template: BlockTemplate, coinbase: Uint8Array): TemplateBlock {
  const ids = [transactionId(coinbase), ...template.transactions.map(({ txid }) => internalOrder(txid))];
  const { root, siblings } = merkleBranch(ids);
  const header = encodeParentHeader({
    version: template.version,
    previousHash: internalOrder(template.previousblockhash),
    merkleRoot: root,
    time: template.curtime,
    bits: Number.parseInt(template.bits, 16),
    nonce: 0,
  });
  return { header, transactions: [coinbase, ...template.transactions.map(({ data }) => fromHex(data))], ids, siblings };
}

/** Encodes a solved block for `submitblock` of the parent node. */
export function encodeTemplateBlock(template: BlockTemplate, { header, transactions }: TemplateBlock): Uint8Array {
  const [coinbase, ...others] = transactions;
  const first = template.default_witness_commitment === undefined ? coinbase! : withReservedWitness(coinbase!);
  return joinBytes([header, encodeCount(transactions.length), first, ...others]);
}

/** Adds the witness (BIP-144). */
function withReservedWitness(coinbase: Uint8Array): Uint8Array {
  const lockTime = coinbase.length - LOCK_TIME.length;
  return concatBytes(
    coinbase.subarray(0, VERSION.length),
    WITNESS_MARKER,
    coinbase.subarray(VERSION.length, lockTime),
    RESERVED_WITNESS,
    coinbase.subarray(lockTime),
  );
}

/** Pushes the height as a script number (BIP-34). */
function heightPush(height: number): Uint8Array {
  if (height <= 16) return Uint8Array.of(height === 0 ? 0 : 0x50 + height);
  const bytes: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest & 0xff);
  // The top bit is the sign.
  if (bytes.at(-1)! >= 0x80) bytes.push(0);
  return push(Uint8Array.from(bytes));
}

/** Encodes a push of up to 75 bytes. */
function push(bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bytes.length), bytes);
}

function output(value: bigint, script: Uint8Array): Uint8Array {
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigUint64(0, value, true);
  return concatBytes(amount, encodeCount(script.length), script);
}

/** Encodes a variable-length integer up to 65535. */
function encodeCount(count: number): Uint8Array {
  return count < 253 ? Uint8Array.of(count) : Uint8Array.of(253, count & 0xff, count >> 8);
}

function internalOrder(hash: string): Uint8Array {
  return reverseBytes(fromHex(hash));
}
