import { type Chain, executionProfile, localBlock, openChain, type ValidationProfile } from "@cambium/chain";
import { headerVersionAt, type NetworkConfig, rulesAt } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { EMPTY_BYTES, numberToBytes } from "@cambium/primitives";
import { Block, BlockHeader, EMPTY_UNCLES_HASH, rewardTransaction, type Transaction } from "@cambium/types";
import { type Cost, processorTime } from "./machine.js";
import { GAS_LIMIT } from "./network.js";

/**
 * A profile for blocks whose headers do not state their results, so that nothing is executed before the measurement,
 * and whose uncles are unrelated to them.
 */
const UNCHECKED: ValidationProfile = {
  ...executionProfile,
  name: "unchecked",
  blockRules: executionProfile.blockRules.filter(({ name }) => name !== "uncleFamily" && name !== "uncleHeaders"),
  executionRules: [],
};
const START = 1_700_000_000;

/** A chain on the disk that measures the import of its blocks. */
export class MeasuredChain {
  private constructor(
    private readonly network: NetworkConfig,
    private readonly chain: Chain,
  ) {}

  static async open(network: NetworkConfig, location: string): Promise<MeasuredChain> {
    const database = await openLevelDatabase(location);
    const chain = await openChain({ network, database, profile: UNCHECKED, now: () => START });
    return new MeasuredChain(network, chain);
  }

  /**
   * Imports a block with these transactions. Returns its processor time, until it is on the disk, and the gas that it
   * used.
   */
  async import(transactions: readonly Transaction[], uncles: readonly BlockHeader[] = []): Promise<Cost> {
    const input = localBlock(this.next(transactions, uncles));
    // The block is decoded again, like a received one.
    const { bytes } = input;
    const start = processorTime();
    const { kind } = await this.chain.import({ bytes, source: "sync" });
    const milliseconds = processorTime() - start;
    if (kind !== "imported-best") throw new Error(`a block of the bench is ${kind}`);
    const receipts = this.chain.receipts(input.header!.hash)!;
    const gas = receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
    return { milliseconds, gas, isInterrupted: false };
  }

  /** Returns a header in the form of an uncle of the next block. */
  uncle(extraData: Uint8Array): BlockHeader {
    const { header } = this.chain.best();
    return this.header(header.number, header.parentHash, extraData);
  }

  close(): Promise<void> {
    return this.chain.close();
  }

  private next(transactions: readonly Transaction[], uncles: readonly BlockHeader[]): Block {
    const { header: parent } = this.chain.best();
    const number = parent.number + 1;
    const rules = rulesAt(this.network, number);
    const all = [...transactions, rewardTransaction(number)];
    const block = new Block(this.header(number, parent.hash), all, uncles);
    const { unclesHash } = block;
    const fields = { transactionsRoot: block.transactionsRoot(rules), unclesHash, uncleCount: uncles.length };
    return new Block(block.header.with(fields), all, uncles);
  }

  private header(number: number, parentHash: Uint8Array, extraData = EMPTY_BYTES): BlockHeader {
    const rules = rulesAt(this.network, number);
    const root = new Uint8Array(32);
    const fields = {
      parentHash,
      unclesHash: EMPTY_UNCLES_HASH,
      coinbase: new Uint8Array(20).fill(0x99),
      stateRoot: root,
      transactionsRoot: root,
      receiptsRoot: root,
      logsBloom: new Uint8Array(256),
      difficulty: 1n,
      number,
      gasLimit: numberToBytes(GAS_LIMIT),
      gasUsed: 0,
      timestamp: BigInt(START + number),
      extraData,
      paidFees: 0n,
      minimumGasPrice: 0n,
      uncleCount: 0,
      ummRoot: EMPTY_BYTES,
      version: headerVersionAt(rules),
      executionEdges: null,
      baseEvent: null,
      parentChainHeader: new Uint8Array(80).fill(3),
      merkleProof: new Uint8Array(64).fill(4),
      parentChainCoinbase: new Uint8Array(100).fill(5),
    };
    return BlockHeader.create(fields, this.network);
  }
}
