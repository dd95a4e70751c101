import type { BridgeHoldings, HeldCoin, TransactionUnderWay } from "@cambium/bridge";
import type { ParentScan } from "../miner/parent-node.js";

/** An output on the parent chain that pays to a federation and that the bridge does not count. */
export interface Deposit {
  txid: string;
  index: number;
  value: bigint;
  /** Height of its block on the parent chain. */
  height: number;
  /** `unregistered`: it waits for registration. `rejected`: the bridge cannot refund it. */
  state: "unregistered" | "rejected";
}

/** Contradictions between the bridge and the parent chain, or between coins on this chain and locked coins. */
export type Difference =
  /** Wei on this chain without locked coins; negative: locked coins without wei on this chain. */
  | { kind: "balance"; wei: bigint }
  /** The bridge counts an output that is not there. */
  | { kind: "missing"; coin: HeldCoin }
  /** Satoshi of an output that the bridge counts with another value. */
  | { kind: "value"; coin: HeldCoin; actual: bigint }
  /** The bridge has registered a transaction that spends an output, but the output still exists. */
  | { kind: "unspent"; txid: string; index: number; value: bigint; by: string }
  /** The parent chain does not have the bridge's best block. */
  | { kind: "parent-chain"; hash: string };

export interface Audit {
  differences: Difference[];
  deposits: Deposit[];
  /** Unregistered transactions: whether the parent chain has each, and the height of its block if it returns coins. */
  inProgress: (TransactionUnderWay & { mined: boolean; height: number | undefined })[];
}

const nameOf = ({ txid, index }: { txid: string; index: number }) => `${txid}:${index}`;

/** Compares the records of the bridge with the parent chain. `carried` is the known difference in wei. */
export function audit(holdings: BridgeHoldings, scan: ParentScan, carried: bigint): Audit {
  const differences: Difference[] = [];
  if (scan.standing === "unknown") differences.push({ kind: "parent-chain", hash: holdings.parentChain.hash });
  if (holdings.difference !== carried) differences.push({ kind: "balance", wei: holdings.difference - carried });
  const found = new Map(scan.unspent.map((output) => [nameOf(output), output]));
  for (const coin of holdings.coins) {
    const output = found.get(nameOf(coin));
    if (output === undefined || output.script !== coin.script) differences.push({ kind: "missing", coin });
    else if (output.value !== coin.value) differences.push({ kind: "value", coin, actual: output.value });
    found.delete(nameOf(coin));
  }
  const heights = new Map(scan.unspent.map(({ txid, height }) => [txid, height]));
  const inProgress = holdings.inProgress.map((transaction) => {
    const left = transaction.spends.filter((input) => found.delete(nameOf(input)));
    const mined = transaction.stage === "signed" && left.length === 0;
    return { ...transaction, mined, height: heights.get(transaction.txid) };
  });
  const returned = new Set(inProgress.map(({ txid }) => txid));
  const deposits: Deposit[] = [];
  for (const { txid, index, value, height } of found.values()) {
    if (returned.has(txid)) continue;
    const by = holdings.spentBy(txid, index);
    if (by !== undefined) differences.push({ kind: "unspent", txid, index, value, by });
    else
      deposits.push({ txid, index, value, height, state: holdings.rejected.has(txid) ? "rejected" : "unregistered" });
  }
  // A mined transaction that returns no coins is never registered.
  return { differences, deposits, inProgress: inProgress.filter(({ mined, returning }) => !mined || returning > 0n) };
}
