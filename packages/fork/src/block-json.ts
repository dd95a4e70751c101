import {
  hasExecutionLists,
  headerVersionAt,
  type NetworkConfig,
  REWARD_ADDRESS,
  rulesAt,
  UNCLE_LIST_LIMIT,
} from "@cambium/config";
import {
  bigintToBytes,
  bigintToTwosComplement,
  bytesToBigint,
  CambiumError,
  EMPTY_BYTES,
  encodeRlp,
  equalBytes,
  fromHex,
  numberToBytes,
} from "@cambium/primitives";
import { buildGenesisState } from "@cambium/state";
import {
  BlockHeader,
  EMPTY_UNCLES_HASH,
  genesisBlock,
  type HeaderFields,
  type Log,
  type Receipt,
  rewardTransaction,
  Transaction,
} from "@cambium/types";

// Decodes JSON-RPC objects (`spec/09 §6`). Every value with a hash or a root is compared with it.

/** An object in an endpoint's answer; its members may have any type. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * An answer that does not have the form of the method's result. Clients see its message, which contains no text of the
 * answer.
 */
export class MalformedAnswer extends Error {}

/** Describes why an answer could not be parsed. Messages of decoders may repeat the answer; their codes do not. */
export function faultOf(error: unknown): string {
  if (error instanceof MalformedAnswer) return error.message;
  return error instanceof CambiumError ? `it cannot be decoded (${error.code})` : "it cannot be decoded";
}

export function asObject(value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new MalformedAnswer("not an object");
  return value as Json;
}

/** Decodes DATA, of a given length if there is one. */
export function dataOf(value: unknown, length?: number): Uint8Array {
  if (typeof value !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) {
    throw new MalformedAnswer(`${kindOf(value)} instead of hex data`);
  }
  const bytes = fromHex(value);
  if (length !== undefined && bytes.length !== length) {
    throw new MalformedAnswer(`${bytes.length} bytes instead of ${length}`);
  }
  return bytes;
}

/** Decodes QUANTITY. The deployed client writes some as decimal numbers, and some with leading zeros. */
export function quantityOf(value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value !== "string" || !/^(?:0x[0-9a-f]+|[0-9]+)$/i.test(value) || value.length > 80) {
    throw new MalformedAnswer(`${kindOf(value)} instead of a number`);
  }
  return BigInt(value);
}

export function countOf(value: unknown): number {
  const count = quantityOf(value);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new MalformedAnswer("a number that is too large");
  return Number(count);
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswer("not a list");
  return value;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `text of ${value.length} characters`;
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** Decodes the header of a block object or uncle object. Throws {@link MalformedAnswer} if its hash differs. */
export function headerOf(block: Json, network: NetworkConfig): BlockHeader {
  const hash = dataOf(block.hash, 32);
  const number = countOf(block.number);
  for (const header of number === 0 ? [genesisHeader(network)] : candidateHeaders(block, network)) {
    if (equalBytes(header.hash, hash)) return header;
  }
  throw new MalformedAnswer("the header of the block does not have its hash");
}

/** The encoding of the genesis header depends on the configuration (`spec/01 §2.7`). */
function genesisHeader(network: NetworkConfig): BlockHeader {
  return genesisBlock(network, buildGenesisState(network).root).header;
}

/** Yields the headers with the same object: a number does not determine the length of its encoding. */
function* candidateHeaders(block: Json, network: NetworkConfig): Generator<BlockHeader> {
  const fields = headerFields(block, network);
  const gasLimit = quantityOf(block.gasLimit);
  const prices = fields.minimumGasPrice === 0n ? [0n, null] : [fields.minimumGasPrice];
  // The object of an uncle does not list that block's own uncles.
  const isCounted = fields.uncleCount > 0 || equalBytes(fields.unclesHash, EMPTY_UNCLES_HASH);
  const counts = isCounted ? [fields.uncleCount] : Array.from({ length: UNCLE_LIST_LIMIT + 1 }, (_, count) => count);
  for (const minimumGasPrice of prices) {
    for (const bytes of [bigintToTwosComplement(gasLimit), bigintToBytes(gasLimit)]) {
      for (const uncleCount of counts) {
        const header = BlockHeader.create({ ...fields, minimumGasPrice, gasLimit: bytes, uncleCount }, network);
        yield BlockHeader.decode(header.encode("full"), network);
      }
    }
  }
}

function headerFields(block: Json, network: NetworkConfig): HeaderFields {
  const number = countOf(block.number);
  const rules = rulesAt(network, number);
  const mining = (name: string): Uint8Array | null => {
    const value = block[`parentChainMergedMining${name}`] ?? block[`bitcoinMergedMining${name}`];
    const bytes = value === undefined || value === null ? EMPTY_BYTES : dataOf(value);
    return bytes.length === 0 ? null : bytes;
  };
  const version = headerVersionAt(rules);
  const edges = block.pteEdges ?? block.rskPteEdges;
  const baseEvent = block.baseEvent === undefined || block.baseEvent === null ? EMPTY_BYTES : dataOf(block.baseEvent);
  const miner = dataOf(block.miner);
  return {
    parentHash: dataOf(block.parentHash, 32),
    unclesHash: dataOf(block.sha3Uncles, 32),
    coinbase: miner,
    stateRoot: dataOf(block.stateRoot, 32),
    transactionsRoot: dataOf(block.transactionsRoot, 32),
    receiptsRoot: dataOf(block.receiptsRoot, 32),
    logsBloom: dataOf(block.logsBloom, 256),
    difficulty: quantityOf(block.difficulty),
    number,
    gasLimit: EMPTY_BYTES,
    gasUsed: countOf(block.gasUsed),
    timestamp: quantityOf(block.timestamp),
    extraData: dataOf(block.extraData),
    paidFees: block.paidFees === undefined || block.paidFees === null ? 0n : quantityOf(block.paidFees),
    minimumGasPrice: quantityOf(block.minimumGasPrice ?? 0),
    uncleCount: listOf(block.uncles ?? []).length,
    ummRoot: rules.rskipUmm ? EMPTY_BYTES : null,
    version,
    executionEdges: !hasExecutionLists(rules) ? null : edges == null ? [] : listOf(edges).map((edge) => countOf(edge)),
    baseEvent: version === 2 ? baseEvent : null,
    parentChainHeader: mining("Header"),
    merkleProof: mining("MerkleProof"),
    parentChainCoinbase: mining("CoinbaseTransaction"),
  };
}

function quantityBytes(value: unknown): Uint8Array {
  return bigintToBytes(quantityOf(value));
}

/** Decodes a transaction object. Throws {@link MalformedAnswer} if its hash differs. */
export function transactionOf(object: Json, isLast: boolean): Transaction {
  const hash = dataOf(object.hash, 32);
  for (const candidate of candidates(object, isLast)) if (equalBytes(candidate.hash, hash)) return candidate;
  throw new MalformedAnswer("a transaction does not have its hash");
}

function* candidates(object: Json, isLast: boolean): Generator<Transaction> {
  const to = object.to === null || object.to === undefined || object.to === "0x" ? EMPTY_BYTES : dataOf(object.to, 20);
  if (isLast && equalBytes(to, REWARD_ADDRESS)) yield rewardTransaction(countOf(object.blockNumber));
  const v = object.v === null || object.v === undefined ? 0n : quantityOf(object.v);
  const word = (value: unknown) => (v === 0n ? EMPTY_BYTES : quantityBytes(value));
  const value = quantityOf(object.value);
  const gasPrice = quantityOf(object.gasPrice);
  const gas = quantityOf(object.gas);
  for (const price of gasPrice === 0n ? [ZERO, EMPTY_BYTES] : [bigintToBytes(gasPrice)]) {
    const items = [
      quantityBytes(object.nonce),
      price,
      gas === 0n ? ZERO : bigintToBytes(gas),
      to,
      value === 0n ? EMPTY_BYTES : bigintToBytes(value),
      dataOf(object.input ?? object.data),
      v === 0n ? EMPTY_BYTES : numberToBytes(Number(BigInt.asUintN(8, v))),
      word(object.r),
      word(object.s),
    ];
    yield Transaction.decode(encodeRlp(items), isLast);
  }
}

const ZERO = Uint8Array.of(0);

/** Decodes a receipt object, to be compared with the receipts root. */
export function receiptOf(object: Json): Receipt {
  return {
    status: quantityOf(object.status) === 1n ? 1 : 0,
    gasUsed: countOf(object.gasUsed),
    cumulativeGas: countOf(object.cumulativeGasUsed),
    logsBloom: dataOf(object.logsBloom, 256),
    logs: listOf(object.logs).map((log) => logOf(asObject(log))),
  };
}

export function logOf(object: Json): Log {
  return {
    address: dataOf(object.address, 20),
    topics: listOf(object.topics).map((topic) => dataOf(topic, 32)),
    data: dataOf(object.data),
  };
}

/** Decodes the word of a storage cell. */
export function wordOf(value: unknown): bigint {
  const bytes = dataOf(value);
  if (bytes.length > 32) throw new MalformedAnswer(`a storage cell of ${bytes.length} bytes`);
  return bytesToBigint(bytes);
}
