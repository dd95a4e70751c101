import { BRIDGE_ADDRESS, type NetworkConfig } from "@cambium/config";
import { equalBytes, fromHex, toHex } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import { flyoverRedeem } from "../bitcoin/flyover-script.js";
import { redeemHash, scriptHashOutput } from "../bitcoin/script.js";
import { encodeTransaction, type ParentTransaction, parseTransaction, transactionId } from "../bitcoin/transaction.js";
import { activeCoins, coinsPaying, retiringCoins } from "../federation/coins.js";
import { liveSpenders, spenderOf } from "../federation/spending.js";
import type { Utxo } from "../model/utxo.js";
import { parentBlockHash } from "../parent-chain/header-hash.js";
import { WEI_PER_SATOSHI } from "../payment.js";
import { loadRequests } from "../releases/release-lists.js";
import type { BridgeSession } from "../session.js";
import { isProcessed } from "../storage/processed.js";
import { PROPOSED_FLYOVER_PREFIX, signedFund, spendToSign } from "../svp/proposal.js";
import { transferred } from "../union.js";
import { type PegLedger, unsignedId } from "./peg-ledger.js";
import { reportPegOuts } from "./peg-out-report.js";
import { readingSession } from "./reading-session.js";

/** An output on the parent chain. Ids and scripts are hex, ids in display order; the value is in satoshi. */
export interface HeldCoin {
  owner: "active" | "retiring" | "proposed";
  txid: string;
  index: number;
  value: bigint;
  script: string;
}

/** A transaction that the bridge created, and whose outputs it has not registered yet. */
export interface TransactionUnderWay {
  /** Transaction id; final once the transaction has all signatures. */
  txid: string;
  stage: "confirming" | "signing" | "signed";
  spends: readonly { txid: string; index: number }[];
  /** Satoshi that it pays to the federations. */
  returning: bigint;
}

/** Coins that the bridge records as held, and amounts that it owes. */
export interface BridgeHoldings {
  /** Best parent-chain block that the bridge has; the hash is hex in display order. */
  parentChain: { height: number; hash: string };
  /** Outputs that exist on the parent chain if the bridge is right. */
  coins: HeldCoin[];
  inProgress: TransactionUnderWay[];
  /** Scripts in hex to which coins of the federations pay. */
  scripts: string[];
  /** Satoshi of requested peg-outs for which there is no transaction yet. */
  queued: bigint;
  /** Satoshi of fees that the federations paid from their coins, of the transactions in the ledger. */
  fees: bigint;
  /** Wei that came to the bridge without being paid out, according to the ledger. */
  kept: bigint;
  /** Wei that the union bridge holds, for which no coins are locked here. */
  union: bigint;
  /** Wei that left the bridge: the coins on this chain. */
  circulating: bigint;
  /** Wei on this chain beyond the coins that are locked for them; negative if more are locked. */
  difference: bigint;
  /** Ids of rejected peg-ins according to the ledger. */
  rejected: ReadonlySet<string>;
  /** Id of the signed transaction in the ledger that spends an output. */
  spentBy(txid: string, index: number): string | undefined;
}

/**
 * Compares coins on this chain with the coins that the bridge records as held, after block `number`. `state` is the
 * state after that block; discard it afterwards. The ledger contains the bridge's events up to that block. Throws
 * {@link BridgeError} if a cell is malformed.
 */
export function reportHoldings(
  network: NetworkConfig,
  number: number,
  state: WorldState,
  ledger: PegLedger,
): BridgeHoldings {
  const session = readingSession(network, number, state);
  const proposed = proposedOutputs(session);
  const own = [...liveSpenders(session).map(({ outputScript }) => outputScript), ...proposed];
  const { inProgress, created, signedSpends } = transactionsUnderWay(session, ledger, own);
  const coins = heldCoins(session, proposed);
  const queued = sum(loadRequests(session).map(({ amount }) => amount));
  const fees = sum([...ledger.borne].map(([id, spent]) => spent - paidBy(created.get(id), spent)));
  const locked = sum(coins.map(({ value }) => value)) + sum(inProgress.map(({ returning }) => returning)) - queued;
  const account = network.genesis.accounts.find(({ address }) => equalBytes(address, BRIDGE_ADDRESS));
  const circulating = (account?.balance ?? 0n) - state.getBalance(BRIDGE_ADDRESS);
  const union = transferred(session);
  const head = session.blocks.head();
  return {
    parentChain: { height: head.height, hash: toHex(parentBlockHash(head.header)) },
    coins,
    inProgress,
    scripts: [...new Set([...coins.map(({ script }) => script), ...own.map(toHex)])],
    queued,
    fees,
    kept: ledger.kept,
    union,
    circulating,
    difference: circulating - union + ledger.kept - (locked + fees) * WEI_PER_SATOSHI,
    rejected: ledger.rejected,
    spentBy: (txid, index) => signedSpends.get(`${txid}:${index}`),
  };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function paidBy(transaction: ParentTransaction | undefined, otherwise: bigint): bigint {
  return transaction === undefined ? otherwise : sum(transaction.outputs.map(({ value }) => value));
}

/** Scripts with which a proposed federation proves that it can sign. */
function proposedOutputs(session: BridgeSession): Uint8Array[] {
  const { proposedFederation } = session.storage;
  if (proposedFederation === undefined) return [];
  const { outputScript, redeem, segwit } = spenderOf(session, proposedFederation);
  return [outputScript, scriptHashOutput(redeemHash(flyoverRedeem(PROPOSED_FLYOVER_PREFIX, redeem), segwit))];
}

function heldCoins(session: BridgeSession, proposed: readonly Uint8Array[]): HeldCoin[] {
  const describe = (owner: HeldCoin["owner"], coins: readonly Utxo[]) =>
    coins.map(({ txid, index, value, script }) => ({ owner, txid: toHex(txid), index, value, script: toHex(script) }));
  const funded = signedFund.get(session);
  return [
    ...describe("active", activeCoins(session).coins),
    ...(session.federations.retiring === undefined ? [] : describe("retiring", retiringCoins(session).coins)),
    ...(funded === undefined
      ? []
      : describe(
          "proposed",
          proposed.flatMap((script) => coinsPaying(funded, script)),
        )),
  ];
}

/** Transactions whose outputs are not registered, and all known ones by unsigned id. */
function transactionsUnderWay(session: BridgeSession, ledger: PegLedger, own: readonly Uint8Array[]) {
  const created = new Map<string, ParentTransaction>();
  const inProgress: TransactionUnderWay[] = [];
  const signedSpends = new Map<string, string>();
  const add = (stage: TransactionUnderWay["stage"], raw: Uint8Array) => {
    const transaction = parseTransaction(raw);
    created.set(unsignedId(transaction), transaction);
    const txid = transactionId(transaction);
    const spends = transaction.inputs.map((input) => ({ txid: toHex(input.txid), index: input.index }));
    if (stage === "signed") for (const input of spends) signedSpends.set(`${input.txid}:${input.index}`, toHex(txid));
    if (stage === "signed" && isProcessed(session, txid)) return;
    inProgress.push({
      txid: toHex(txid),
      stage,
      spends,
      returning: sum(own.flatMap((script) => coinsPaying(transaction, script).map(({ value }) => value))),
    });
  };
  const { waitingForConfirmations, waitingForSignatures } = reportPegOuts(session);
  for (const { raw } of waitingForConfirmations) add("confirming", fromHex(raw));
  for (const { raw } of waitingForSignatures) add("signing", fromHex(raw));
  const spend = spendToSign.get(session);
  if (spend !== undefined) add("signing", encodeTransaction(spend.transaction));
  for (const raw of ledger.signed) add("signed", raw);
  return { inProgress, created, signedSpends };
}
