import { type AbiArgument, fromHex, hash160 } from "@cambium/primitives";
import { WEI_PER_SATOSHI } from "../payment.js";
import { type OutputTotals, totalsOf, withOutput } from "../release-builder/output-totals.js";
import { feeOf, planRelease } from "../release-builder/release-plan.js";
import { activeWallet, inSpendingOrder } from "../release-builder/wallet.js";
import { estimatedPegOutSize, feePerKb } from "../releases/fees.js";
import { loadRequests, type ReleaseRequest } from "../releases/release-lists.js";
import type { BridgeSession } from "../session.js";
import { outputOf, pegOutTerms } from "./batch.js";

// Fee estimates for callers who plan a peg-out: spec/06b-3 §6.5, §6.6.

/** Fee of a transaction with two inputs and outputs for every queued request, one more request, and change. */
function feeByCount(session: BridgeSession): bigint {
  const size = estimatedPegOutSize(session, 2, loadRequests(session).length + 2);
  return (feePerKb(session) * BigInt(size)) / 1000n;
}

/** Recipient of the additional request in a simulated batch. */
const SIMULATED_DESTINATION = hash160(fromHex("0329f519f8d13a7e3dd35fa5c2480c6bf6c0489da40081e8311a91813492083953"));
const SIMULATED_AMOUNT_BEFORE_RSKIP540 = 100_000_000n;

/** Sums over the outputs that pay a queue, cached because any caller may request many estimates of one state. */
const queueTotals = new WeakMap<readonly ReleaseRequest[], OutputTotals>();

function totalsOfQueue(queue: readonly ReleaseRequest[]): OutputTotals {
  let totals = queueTotals.get(queue);
  if (totals === undefined) queueTotals.set(queue, (totals = totalsOf(queue.map(outputOf))));
  return totals;
}

/** Fee of a batch of the whole queue plus one request; undefined if it cannot be built. */
function simulatedFee(session: BridgeSession, amount: bigint): bigint | undefined {
  const queue = loadRequests(session);
  const wallet = activeWallet(session);
  const outputs = withOutput(totalsOfQueue(queue), outputOf({ destination: SIMULATED_DESTINATION, amount }));
  const coins = inSpendingOrder(wallet.coins);
  const plan = planRelease(wallet, coins, outputs, pegOutTerms(session));
  return typeof plan === "string" ? undefined : feeOf(plan, coins, outputs);
}

/** Estimated fee of the next batch with one more request. */
export function estimatedFeesForNextPegOut(session: BridgeSession): bigint {
  const { rules, network } = session;
  const queued = loadRequests(session).length;
  if (!rules.rskip385 && queued === 0) return 0n;
  if (!rules.rskip305) return feeByCount(session);
  const amount = rules.rskip540 ? network.bridge.minimumPegOut.rskip219 : SIMULATED_AMOUNT_BEFORE_RSKIP540;
  return simulatedFee(session, amount) ?? feeByCount(session);
}

/**
 * Estimated fee of the next batch with one more request of an amount in wei. Fails if the amount is below the minimum,
 * or if the batch cannot be built.
 */
export function estimatedFeesForPegOut(session: BridgeSession, [wei]: readonly AbiArgument[]): bigint {
  const method = "getEstimatedFeesForPegOutAmount(uint256)";
  const satoshi = BigInt.asIntN(64, (wei as bigint) / WEI_PER_SATOSHI);
  if (satoshi < session.network.bridge.minimumPegOut.rskip219) session.fail(method, "below the minimum peg-out");
  return simulatedFee(session, satoshi) ?? session.fail(method, "the batch cannot be built");
}
