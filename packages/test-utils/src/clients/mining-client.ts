import {
  buildParentBlock,
  merkleBranch,
  parentHeaderWork,
  taggedCoinbase,
  transactionId,
} from "@cambium/merged-mining";
import { fromHex, reverseBytes, toHex } from "@cambium/primitives";
import type { RpcClient } from "../rpc-client.js";
import { seededBytes } from "../seeded-bytes.js";

/** Result of `mnr_getWork`. */
export interface Work {
  blockHashForMergedMining: string;
  target: string;
  feesPaidToMiner: string;
  notify: boolean;
  parentBlockHash: string;
}

export interface SubmittedBlock {
  blockImportedResult: string;
  blockHash: string;
  blockIncludedHeight: string;
}

/** Ways to submit a solution. */
export const SUBMISSIONS = ["block", "transactions", "partial-merkle"] as const;
export type SubmissionKind = (typeof SUBMISSIONS)[number];

/** The parts of a solved parent-chain block. */
export interface Solution {
  header: Uint8Array;
  /** Transactions, the coinbase first. */
  transactions: Uint8Array[];
}

/** Solves work with a parent-chain block of the given number of transactions. */
export function solve(work: Work, transactionCount = 1): Solution {
  // The other transactions may be any; these carry the tag of other data.
  const others = Array.from({ length: transactionCount - 1 }, () => taggedCoinbase(seededBytes(32)));
  const { parentChainHeader, coinbase } = buildParentBlock({
    hashForMergedMining: fromHex(work.blockHashForMergedMining),
    difficulty: 2n ** 256n / BigInt(work.target),
    time: Math.floor(Date.now() / 1000),
    otherTransactionIds: others.map(transactionId),
  });
  return { header: parentChainHeader, transactions: [coinbase, ...others] };
}

/** Replaces the nonce of a solution by one that does not meet the target. */
export function spoil({ header, transactions }: Solution, { target }: Work): Solution {
  const wrong = header.slice();
  const view = new DataView(wrong.buffer);
  do view.setUint32(76, view.getUint32(76, true) + 1, true);
  while (parentHeaderWork(wrong) <= BigInt(target));
  return { header: wrong, transactions };
}

/** Submits a solution as mining pools do: hex without prefix. */
export function submit(
  rpc: Pick<RpcClient, "call">,
  kind: SubmissionKind,
  solution: Solution,
): Promise<SubmittedBlock> {
  const { transactions } = solution;
  const [header, coinbase] = [toHex(solution.header), toHex(transactions[0]!)];
  const ids = transactions.map(transactionId);
  const parentHash = "00".repeat(32);
  switch (kind) {
    case "block": {
      const count = transactions.length.toString(16).padStart(2, "0");
      return rpc.call("mnr_submitParentChainBlock", header + count + transactions.map(toHex).join(""));
    }
    case "transactions": {
      const displayed = ids.map((id) => toHex(reverseBytes(id))).join(" ");
      return rpc.call("mnr_submitParentChainBlockTransactions", parentHash, header, coinbase, displayed);
    }
    case "partial-merkle": {
      const hashes = [ids[0]!, ...merkleBranch(ids).siblings].map(toHex).join(" ");
      const count = ids.length.toString(16);
      return rpc.call("mnr_submitParentChainBlockPartialMerkle", parentHash, header, coinbase, hashes, count);
    }
  }
}
