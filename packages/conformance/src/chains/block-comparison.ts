import type { Chain } from "@cambium/chain";
import { fromHex, toData } from "@cambium/primitives";
import { type Block, encodeReceipt, extensionData, type Log, type Receipt } from "@cambium/types";
import type { Comparison } from "../comparison.js";
import type { ExpectedBlock } from "./companion.js";

/** Compares the expectations of a companion file for a block with the stored block. */
export function compareBlock(comparison: Comparison, chain: Chain, expected: ExpectedBlock, size: number): void {
  const hash = fromHex(expected.hash);
  const block = chain.blockByHash(hash);
  const receipts = chain.receipts(hash);
  if (block === undefined || receipts === undefined) {
    comparison.equal("block", "not stored", expected.hash);
    return;
  }
  compareHeader(comparison, block, expected);
  compareMining(comparison, block, expected);
  compareTransactions(comparison, block, receipts, expected);
  comparison
    .equal("state root after execution", toData(chain.stateAfter(hash)!.root), expected.stateRoot)
    .equal("total difficulty", chain.totalDifficulty(hash), expected.totalDifficulty)
    .equal("size", block.size, expected.size)
    .equal("size of the line", size, expected.size);
}

function compareHeader(comparison: Comparison, { header, uncles }: Block, expected: ExpectedBlock): void {
  comparison
    .equal("number", header.number, expected.number)
    .equal("hash", toData(header.hash), expected.hash)
    .equal("parent hash", toData(header.parentHash), expected.parentHash)
    .equal("state root", toData(header.stateRoot), expected.stateRoot)
    .equal("receipts root", toData(header.receiptsRoot), expected.receiptsRoot)
    .equal("transactions root", toData(header.transactionsRoot), expected.transactionsRoot)
    .equal("uncles hash", toData(header.unclesHash), expected.unclesHash)
    .equal(
      "uncles",
      uncles.map((uncle) => toData(uncle.hash)),
      expected.uncles,
    )
    .equal("gas used", header.gasUsed, expected.gasUsed)
    .equal("gas limit", header.gasLimitValue, expected.gasLimit)
    .equal("paid fees", header.paidFees, expected.paidFees)
    .equal("minimum gas price", header.minimumGasPriceValue, expected.minimumGasPrice)
    .equal("difficulty", header.difficultyValue, expected.difficulty)
    .equal("timestamp", header.timestamp, expected.timestamp)
    .equal("miner", toData(header.coinbase), expected.miner)
    .equal("version", header.version, expected.headerVersion)
    .equal("edges", header.executionEdges, expected.executionEdges);
}

function compareMining(comparison: Comparison, { header }: Block, expected: ExpectedBlock): void {
  comparison
    .equal("hash for merged mining", toData(header.hashForMergedMining), expected.hashForMergedMining)
    .equal("fork-detection data", toData(header.forkDetectionData), expected.miningForkDetectionData);
  if (header.version !== 0)
    comparison.equal("extension", toData(extensionData(header.extension)), expected.extensionData);
}

function compareTransactions(
  comparison: Comparison,
  block: Block,
  receipts: readonly Receipt[],
  expected: ExpectedBlock,
): void {
  const senders = block.transactions.map(({ isReward, sender }) => (isReward || !sender ? null : toData(sender)));
  comparison
    .equal(
      "transactions",
      block.transactions.map(({ hash }) => toData(hash)),
      expected.transactions,
    )
    .equal("senders", senders, expected.senders)
    .equal(
      "receipts",
      receipts.map((receipt) => toData(encodeReceipt(receipt))),
      expected.receipts,
    )
    .equal(
      "receipt gas",
      receipts.map(({ gasUsed }) => gasUsed),
      expected.receiptGasUsed,
    )
    .equal(
      "receipt status",
      receipts.map(({ status }) => status === 1),
      expected.receiptStatus,
    )
    .equal("reward logs", (receipts.at(-1)?.logs ?? []).map(logText), expected.rewardLogs.map(expectedLogText));
}

function logText({ address, topics, data }: Log): string {
  return [address, ...topics, data].map(toData).join(" ");
}

function expectedLogText({ address, topics, data }: { address: string; topics: string[]; data: string }): string {
  return [address, ...topics, data].join(" ");
}
