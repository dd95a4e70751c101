import type { NetworkConfig } from "@cambium/config";
import { proofOfWorkTarget } from "@cambium/merged-mining";
import type { BlockTemplate } from "@cambium/miner";
import { BlockHeader, rewardTransaction, type Transaction } from "@cambium/types";
import type { BuiltTemplate } from "./building-messages.js";

/** Returns the template that a thread has built from the pool's transactions in this order. */
export function receivedTemplate(
  built: BuiltTemplate,
  ordered: readonly Transaction[],
  network: NetworkConfig,
): BlockTemplate {
  const header = BlockHeader.create(built.fields, network, built.forkDetectionData);
  const transactions = [...built.transactions].map((position) => ordered[position]!);
  return {
    header,
    transactions: [...transactions, rewardTransaction(header.number)],
    uncles: built.uncles.map((uncle) => BlockHeader.decode(uncle, network)),
    hashForMergedMining: header.hashForMergedMining,
    target: proofOfWorkTarget(header.difficultyValue),
  };
}
