import { type AbiValue, bytesToBigint, fromHex, hash160 } from "@cambium/primitives";
import { CELLS } from "./cells.js";

import { WEI_PER_SATOSHI } from "./payment.js";
import { activeWallet, buildPegOut } from "./peg-out/batch.js";
import { loadRequests } from "./peg-out/release-lists.js";
import { estimatedSize, estimatedSizeBeforeRskip271 } from "./release-builder/size.js";
import { queuedPegOuts } from "./release-queue.js";
import type { BridgeSession } from "./session.js";
import { activeSpender, type Spender } from "./spending.js";

// What peg-outs cost: spec/06b-3 §6.5, §6.6.

/** Satoshi for 1000 bytes: what was voted, or the network's first value. */
export function feePerKb({ storage, network }: BridgeSession): bigint {
  const item = storage.readItem(CELLS.feePerKb);
  return item === undefined ? network.bridge.genesisFeePerKb : bytesToBigint(item);
}

/** The size assumed of a transaction of that federation (`spec/06b-3 §6.5`, "S"). */
export function estimatedSizeOf({ segwit, threshold, redeem }: Spender, inputs: number, outputs: number): number {
  return estimatedSize(segwit, threshold, redeem.length, inputs, outputs);
}

/** The size assumed of a peg-out of the active federation. */
export function estimatedPegOutSize(session: BridgeSession, inputs: number, outputs: number): number {
  const spender = activeSpender(session);
  if (session.rules.rskip271) return estimatedSizeOf(spender, inputs, outputs);
  return estimatedSizeBeforeRskip271(spender.threshold, spender.redeem.length, inputs, outputs);
}

/** Fee of two inputs and an output for every queued request, one more, and change. */
function feeByCount(session: BridgeSession): bigint {
  const size = estimatedPegOutSize(session, 2, queuedPegOuts(session) + 2);
  return (feePerKb(session) * BigInt(size)) / 1000n;
}

/** Whom the one more request of a simulated batch is for. */
const SIMULATED_DESTINATION = hash160(fromHex("0329f519f8d13a7e3dd35fa5c2480c6bf6c0489da40081e8311a91813492083953"));
const SIMULATED_AMOUNT_BEFORE_RSKIP540 = 100_000_000n;

/** Fee of a batch of the whole queue and one more request; undefined when none can be built. */
function simulatedFee(session: BridgeSession, amount: bigint): bigint | undefined {
  const requests = [...loadRequests(session), { destination: SIMULATED_DESTINATION, amount }];
  const result = buildPegOut(session, activeWallet(session), requests);
  if (result.code !== "SUCCESS") return undefined;
  const spent = result.spent.reduce((sum, coin) => sum + coin.value, 0n);
  return result.transaction.outputs.reduce((left, output) => left - output.value, spent);
}

/** What the next batch with one more request would cost. */
export function estimatedFeesForNextPegOut(session: BridgeSession): bigint {
  const { rules, network } = session;
  const queued = queuedPegOuts(session);
  if (!rules.rskip385 && queued === 0) return 0n;
  if (!rules.rskip305) return feeByCount(session);
  const amount = rules.rskip540 ? network.bridge.minimumPegOut.rskip219 : SIMULATED_AMOUNT_BEFORE_RSKIP540;
  return simulatedFee(session, amount) ?? feeByCount(session);
}

/** The same for a given amount of wei; fails below the minimum and where no such batch can be built. */
export function estimatedFeesForPegOut(session: BridgeSession, [wei]: readonly AbiValue[]): bigint {
  const method = "getEstimatedFeesForPegOutAmount(uint256)";
  const satoshi = BigInt.asIntN(64, (wei as bigint) / WEI_PER_SATOSHI);
  if (satoshi < session.network.bridge.minimumPegOut.rskip219) session.fail(method, "below the minimum peg-out");
  return simulatedFee(session, satoshi) ?? session.fail(method, "no such batch can be built");
}
