import type { BridgeHoldings, BridgeReport, FederationReport, UnsignedReport } from "@cambium/bridge";
import type { ParentScan } from "../miner/parent-node.js";
import type { Audit, Difference } from "./audit.js";
import { blockLine, coin, row } from "./text.js";

const WEI_PER_SATOSHI = 10n ** 10n;
/** Digits of an id or key that a line has room for. */
const SHORT = 12;

/** Data read from the bridge, and from a parent-chain node if there is one. */
export interface WatchInput {
  block: { number: number; hash: string };
  report: BridgeReport;
  holdings: BridgeHoldings;
  scan: ParentScan | undefined;
  audited: Audit | undefined;
}

/** A payment to a federation that the bridge has not credited. */
export interface WatchedPegIn {
  txid: string;
  index: number;
  value: bigint;
  state: "unregistered" | "rejected";
  /** Confirmations on the parent chain, including the transaction's own block. */
  confirmations: number;
}

/** A peg-out, refund, migration or proof, from the request until the parent chain has it. */
export type WatchedPegOut =
  | { stage: "queued"; amount: bigint; destination: string; requestedBy: string | undefined }
  /** Confirmations on this chain. */
  | { stage: "confirming"; txid: string; confirmations: number; createdBy: string | undefined }
  | ({ stage: "signing" } & Pick<UnsignedReport, "txid" | "key" | "required" | "signedBy" | "missing">)
  /** Confirmations on the parent chain; undefined if they are unknown. */
  | { stage: "signed"; txid: string; confirmations: number | undefined };

export interface Watched {
  block: { number: number; hash: string };
  parentChain: BridgeReport["parentChain"] & { nodeHeight: number | undefined; standing: string | undefined };
  requiredConfirmations: BridgeReport["requiredConfirmations"];
  /** Satoshi that are pegged in, and how many may be. */
  pegged: bigint;
  lockingCap: bigint;
  feePerKb: bigint;
  nextPegOutBlock: number;
  federations: BridgeReport["federations"];
  /** Undefined without a parent-chain node. */
  pegIns: WatchedPegIn[] | undefined;
  pegOuts: WatchedPegOut[];
  /** Differences of UTXOs; differences of the balance require an audit. */
  differences: Difference[] | undefined;
}

export function describeWatched({ block, report, holdings, scan, audited }: WatchInput): Watched {
  const { parentChain, requiredConfirmations, lockingCap, feePerKb, nextPegOutBlock, federations } = report;
  const depth = (height: number) => scan!.height - height + 1;
  return {
    block,
    parentChain: { ...parentChain, nodeHeight: scan?.height, standing: scan?.standing },
    requiredConfirmations,
    pegged: holdings.circulating / WEI_PER_SATOSHI,
    lockingCap,
    feePerKb,
    nextPegOutBlock,
    federations,
    pegIns: audited?.deposits.map(({ height, ...deposit }) => ({ ...deposit, confirmations: depth(height) })),
    pegOuts: describePegOuts(block.number, report, audited?.inProgress ?? holdings.inProgress, depth),
    differences: audited?.differences,
  };
}

function describePegOuts(
  number: number,
  { pegOuts, federations }: BridgeReport,
  inProgress: readonly (BridgeHoldings["inProgress"][number] & { height?: number | undefined; mined?: boolean })[],
  depth: (height: number) => number,
): WatchedPegOut[] {
  const spend = federations.proposed?.spend;
  return [
    ...pegOuts.queued.map(({ amount, destination, requestedBy }) => {
      return { stage: "queued" as const, amount, destination, requestedBy };
    }),
    ...pegOuts.waitingForConfirmations.map(({ txid, creationBlock, createdBy }) => {
      return { stage: "confirming" as const, txid, confirmations: number - creationBlock, createdBy };
    }),
    ...[...pegOuts.waitingForSignatures, ...(spend === undefined ? [] : [spend])].map(
      ({ txid, key, required, signedBy, missing }) => {
        return { stage: "signing" as const, txid, key, required, signedBy, missing };
      },
    ),
    ...inProgress
      .filter(({ stage }) => stage === "signed")
      .map(({ txid, height, mined }) => {
        const confirmations = height === undefined ? (mined === false ? 0 : undefined) : depth(height);
        return { stage: "signed" as const, txid, confirmations };
      }),
  ];
}

function short(id: string): string {
  return id.length <= SHORT ? id : `${id.slice(0, SHORT)}…`;
}

/** Lines of the table. */
export function watchLines(watched: Watched): string[] {
  const { block, parentChain, pegged, lockingCap, feePerKb, federations, pegIns, pegOuts, differences } = watched;
  const { nodeHeight, standing } = parentChain;
  const node = nodeHeight === undefined ? "" : `, ${standing} of the node at ${nodeHeight}`;
  return [
    blockLine(block),
    row("parent chain", `${parentChain.height} ${parentChain.hash}${node}`),
    row("pegged in", `${coin(pegged)} of at most ${coin(lockingCap)} BTC`),
    row("fee per kB", `${feePerKb} satoshi`),
    ...federationLines(federations),
    ...(pegIns === undefined ? [] : [row("peg-ins under way", pegIns.length)]),
    ...(pegIns ?? []).map((pegIn) => `  ${pegInLine(pegIn, watched)}`),
    row("peg-outs under way", `${pegOuts.length}, next batch from block ${watched.nextPegOutBlock}`),
    ...pegOuts.map((pegOut) => `  ${pegOutLine(pegOut, watched)}`),
    ...(differences === undefined || differences.length === 0
      ? []
      : [row("differences", `${differences.length}; see "node-cli bridge audit"`)]),
  ];
}

function federationLines({ active, retiring, next, proposed, pending }: BridgeReport["federations"]): string[] {
  const text = ({ address, threshold, members }: FederationReport) => `${address}, ${threshold} of ${members.length}`;
  return [
    row("active federation", text(active)),
    ...(retiring === undefined ? [] : [row("retiring federation", text(retiring))]),
    ...(next === undefined ? [] : [row("next federation", `${text(next)}, active from block ${next.activationBlock}`)]),
    ...(proposed === undefined
      ? []
      : [
          row(
            "proposed federation",
            `${text(proposed)}, proof ${proposed.validation}, due before block ${proposed.validationEnds}`,
          ),
        ]),
    ...(pending === undefined ? [] : [row("pending federation", `${pending.members.length} members so far`)]),
  ];
}

function pegInLine({ txid, index, value, state, confirmations }: WatchedPegIn, { requiredConfirmations }: Watched) {
  const waits = state === "rejected" ? "rejected" : `${confirmations} of ${requiredConfirmations.pegIn} confirmations`;
  return `${short(txid)}:${index} ${coin(value)} BTC, ${waits}`;
}

function pegOutLine(pegOut: WatchedPegOut, { requiredConfirmations }: Watched): string {
  switch (pegOut.stage) {
    case "queued":
      return `queued: ${coin(pegOut.amount)} BTC to ${pegOut.destination}`;
    case "confirming":
      return `${short(pegOut.txid)} confirming: ${pegOut.confirmations} of ${requiredConfirmations.pegOut} blocks`;
    case "signing": {
      const { txid, signedBy, required, missing } = pegOut;
      return `${short(txid)} being signed: ${signedBy.length} of ${required}, next ${missing.map(short).join(" or ")}`;
    }
    case "signed": {
      const { txid, confirmations } = pegOut;
      const depth =
        confirmations === undefined ? "" : `: ${confirmations} of ${requiredConfirmations.pegIn} confirmations`;
      return `${short(txid)} signed${depth}`;
    }
  }
}
