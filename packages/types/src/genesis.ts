import type { NetworkConfig } from "@cambium/config";
import { bytesToBigint, EMPTY_TRIE_ROOT, encodeRlp, keccak256, numberToBytes } from "@cambium/primitives";
import { Block } from "./block.js";
import { BLOOM_LENGTH } from "./bloom.js";
import { BlockHeader } from "./header.js";
import { headerOptions } from "./header-decoding.js";

/** Hash of an empty uncle list. */
export const EMPTY_UNCLES_HASH: Uint8Array = keccak256(encodeRlp([]));

/**
 * Returns block 0 of a network (`spec/01 §2.7`, `§6.2`). `stateRoot` is the root of the genesis state; the header
 * contains the configured root instead if there is one.
 */
export function genesisBlock(network: NetworkConfig, stateRoot: Uint8Array): Block {
  const { genesis } = network;
  const fields = {
    parentHash: genesis.parentHash,
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase: genesis.coinbase,
    stateRoot: genesis.stateRoot ?? stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(BLOOM_LENGTH),
    difficulty: bytesToBigint(genesis.difficulty),
    number: 0,
    gasLimit: numberToBytes(genesis.gasLimit),
    gasUsed: 0,
    timestamp: BigInt(genesis.timestamp),
    extraData: genesis.extraData,
    paidFees: 0n,
    minimumGasPrice: genesis.minimumGasPrice,
    uncleCount: 0,
    ummRoot: null,
    version: 0 as const,
    executionEdges: null,
    baseEvent: null,
    parentChainHeader: Uint8Array.of(0),
    merkleProof: Uint8Array.of(0),
    parentChainCoinbase: Uint8Array.of(0),
  };
  const options = { ...headerOptions(network, 0), difficultyBytes: genesis.difficulty };
  return new Block(new BlockHeader(fields, options), [], []);
}
