import assert from "node:assert/strict";
import type { NetworkConfig } from "@cambium/config";
import { NETWORKS } from "@cambium/config";
import { keccak256, numberToBytes, utf8 } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import {
  BlockHeader,
  EMPTY_UNCLES_HASH,
  type HeaderFields,
  signTransaction,
  type TransactionRequest,
} from "@cambium/types";
import { BlockError, type BlockFault } from "../src/index.js";

const plain: HeaderFields = {
  parentHash: new Uint8Array(32),
  unclesHash: EMPTY_UNCLES_HASH,
  coinbase: new Uint8Array(20),
  stateRoot: new Uint8Array(32),
  transactionsRoot: new Uint8Array(32),
  receiptsRoot: new Uint8Array(32),
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  number: 1,
  gasLimit: numberToBytes(6_800_000),
  gasUsed: 0,
  timestamp: 0n,
  extraData: new Uint8Array(0),
  paidFees: 0n,
  minimumGasPrice: 0n,
  uncleCount: 0,
  ummRoot: null,
  version: 0,
  executionEdges: null,
  baseEvent: null,
  parentChainHeader: null,
  merkleProof: null,
  parentChainCoinbase: null,
};

/** A header with defaults for all fields that a test does not set. */
export function header(own: Partial<HeaderFields> = {}, network: NetworkConfig = NETWORKS.local): BlockHeader {
  return BlockHeader.create({ ...plain, ...own }, network);
}

/** An 80-byte parent-chain header with a time. */
export function parentChainHeader(time: number): Uint8Array {
  const bytes = new Uint8Array(80);
  new DataView(bytes.buffer).setUint32(68, time, true);
  return bytes;
}

/** A branch whose block numbers are the indexes. */
export function branchOf(headers: readonly BlockHeader[], uncles: Record<number, BlockHeader[]> = {}): AncestorReader {
  return {
    hash: (number) => headers[number]?.hash,
    header: (number) => headers[number],
    uncles: (number) => uncles[number] ?? [],
    totalDifficulty: () => undefined,
  };
}

/** Private key of a test account. */
export function keyOf(name: string): Uint8Array {
  return keccak256(utf8(name));
}

export function signed(name: string, own: Partial<TransactionRequest> = {}) {
  const request = { nonce: 0n, gasPrice: 0n, gasLimit: 21000n, to: new Uint8Array(20).fill(7), ...own };
  return signTransaction(request, keyOf(name));
}

/** The fault that a rule throws; undefined if it is satisfied. */
export function faultOf(check: () => void): BlockFault | undefined {
  try {
    check();
  } catch (error) {
    assert.ok(error instanceof BlockError, String(error));
    return error.details;
  }
  return undefined;
}

export function codeOf(check: () => void): BlockFault["code"] | undefined {
  return faultOf(check)?.code;
}
