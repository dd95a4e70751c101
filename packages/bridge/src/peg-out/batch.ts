import { encodeRlp, equalBytes, fromHex, numberToBytes } from "@cambium/primitives";
import { publicKeyHashOutput } from "../bitcoin/script.js";
import { makeOutput, type ParentOutput, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { activeCoins } from "../federation/coins.js";
import { activeSpender } from "../federation/spending.js";
import { balanceOf } from "../model/utxo.js";
import { pay, WEI_PER_SATOSHI } from "../payment.js";
import { type BuildResult, type Built, buildRelease } from "../release-builder/release-builder.js";
import type { FeeTerms } from "../release-builder/release-plan.js";
import { activeWallet, redeemOfOutput, type Wallet } from "../release-builder/wallet.js";
import { feePerKb } from "../releases/fees.js";
import { loadRequests, type ReleaseRequest, saveRequests, UnconfirmedReleases } from "../releases/release-lists.js";
import { releaseVersion } from "../releases/release-version.js";
import { settle } from "../releases/settle.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

// Turns requested peg-outs into transactions: spec/06b-3 §5.3.

const BURN_ADDRESS = fromHex("ff".repeat(20));
const MAX_INDIVIDUAL_RELEASES = 30;

/** Pays the queued requests: in one transaction (RSKIP-271), or one per request before. */
export function processRequests(session: BridgeSession): void {
  activeCoins(session);
  const queue = loadRequests(session);
  UnconfirmedReleases.load(session);
  if (session.rules.rskip271) processBatch(session, queue);
  else processIndividually(session, queue);
}

/** The transaction that pays the requests. */
function buildPegOut(session: BridgeSession, wallet: Wallet, requests: readonly ReleaseRequest[]): BuildResult {
  const outputs = requests.map(outputOf);
  return buildRelease(wallet, { outputs, ...pegOutTerms(session), version: releaseVersion(session) });
}

/** The output that pays a request. */
export function outputOf({ destination, amount }: Pick<ReleaseRequest, "destination" | "amount">): ParentOutput {
  return makeOutput(amount, publicKeyHashOutput(destination));
}

/** The recipients of a peg-out pay its fee. */
export function pegOutTerms(session: BridgeSession): FeeTerms {
  return {
    changeScript: activeSpender(session).outputScript,
    feePerKb: feePerKb(session),
    recipientsPay: true,
  };
}

function processBatch(session: BridgeSession, queue: readonly ReleaseRequest[]): void {
  const { context, storage, network } = session;
  const { number } = context.block;
  if (number < session.nextPegOutHeight()) return;
  const total = sumOf(queue);
  const wallet = activeWallet(session);
  if (balanceOf(wallet.coins) < total) return;
  let left: readonly ReleaseRequest[] = queue;
  if (queue.length > 0) {
    const batch = buildBatch(session, wallet, queue);
    if (batch === undefined) return;
    left = settleBatch(session, queue, batch, session.rules.rskip378 ? sumOf(batch.paid) : total);
  }
  if (left.length > 0) return;
  const next = number + network.bridge.blocksBetweenPegOuts;
  storage.write(CELLS.nextPegOutHeight, encodeRlp(numberToBytes(next)));
}

function sumOf(requests: readonly ReleaseRequest[]): bigint {
  return requests.reduce((sum, { amount }) => sum + amount, 0n);
}

interface Batch {
  built: Built;
  paid: readonly ReleaseRequest[];
}

/** Takes as many of the first requests as fit in one transaction, halving their number until they do. */
function buildBatch(session: BridgeSession, wallet: Wallet, queue: readonly ReleaseRequest[]): Batch | undefined {
  let paid = queue;
  let result = buildPegOut(session, wallet, paid);
  while (paid.length > 1 && result.code === "TOO_BIG") {
    paid = paid.slice(0, Math.floor(paid.length / 2));
    result = buildPegOut(session, wallet, paid);
  }
  return result.code === "SUCCESS" ? { built: result, paid } : undefined;
}

/**
 * Records the batch and returns the rest of the queue. Before RSKIP-378, the event's amount and the balance adjustment
 * refer to the whole queue, even if the batch pays only part of it (`spec/06b-3 §12`, 3).
 */
function settleBatch(
  session: BridgeSession,
  queue: readonly ReleaseRequest[],
  { built, paid }: Batch,
  total: bigint,
): readonly ReleaseRequest[] {
  settle(session, activeCoins(session), built, session.context.transactionHash(), total);
  const left = queue.filter((request) => !paid.some((other) => isSameRequest(request, other)));
  saveRequests(session, left);
  const hashes = paid.map(({ hash }) => hash ?? session.fail("updateCollections", "request without a hash"));
  pegEvents.batchCreated(session, transactionId(built.transaction), hashes);
  burnExcess(session, built, total);
  return left;
}

function isSameRequest(a: ReleaseRequest, b: ReleaseRequest): boolean {
  if (a === b) return true;
  if (a.amount !== b.amount || !equalBytes(a.destination, b.destination)) return false;
  return a.hash === undefined || b.hash === undefined ? a.hash === b.hash : equalBytes(a.hash, b.hash);
}

/** Burns the excess. A federation holds more than it owes if change was raised to the dust limit. */
function burnExcess(session: BridgeSession, { transaction, spent }: Built, requested: bigint): void {
  if (transaction.outputs.length <= 1) return;
  const used = balanceOf(spent) - valueOfOwn(session, transaction);
  if (used < requested) pay(session, BURN_ADDRESS, (requested - used) * WEI_PER_SATOSHI);
}

/** Value that a transaction pays to the active federation, including its known flyover addresses. */
function valueOfOwn(session: BridgeSession, { outputs }: ParentTransaction): bigint {
  const spenders = [activeSpender(session)];
  return outputs.reduce(
    (sum, { value, script }) => (redeemOfOutput(session, spenders, script) === undefined ? sum : sum + value),
    0n,
  );
}

/** Pays up to 30 requests per call, before RSKIP-271. Requests that cannot be paid move to the end of the queue. */
function processIndividually(session: BridgeSession, queue: readonly ReleaseRequest[]): void {
  const tries = queue.slice(0, MAX_INDIVIDUAL_RELEASES);
  const failed = tries.filter((request) => !payIndividually(session, request));
  saveRequests(session, [...queue.slice(tries.length), ...failed]);
}

function payIndividually(session: BridgeSession, request: ReleaseRequest): boolean {
  const result = buildPegOut(session, activeWallet(session), [request]);
  if (result.code !== "SUCCESS") return false;
  settle(session, activeCoins(session), result, request.hash, request.amount);
  burnExcess(session, result, request.amount);
  return true;
}
