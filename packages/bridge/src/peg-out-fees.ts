import { type AbiValue, bytesToBigint, decodeRlpList } from "@cambium/primitives";
import { CELLS } from "./cells.js";
import { federationThreshold } from "./federation.js";
import { redeemScript } from "./federation-script.js";
import { queuedPegOuts } from "./release-queue.js";
import type { BridgeSession } from "./session.js";

const WEI_PER_SATOSHI = 10n ** 10n;
const SIGNATURE_SIZE = 72;
const OUTPUT_SIZE = 32;
const WITNESS_INPUT_SIZE = 36;

/** Satoshi for 1000 bytes: what was voted, or the network's first value. */
export function feePerKb({ storage, network }: BridgeSession): bigint {
  const item = storage.readItem(CELLS.feePerKb);
  return item === undefined ? network.bridge.genesisFeePerKb : bytesToBigint(item);
}

function varIntSize(value: number): number {
  if (value < 0xfd) return 1;
  return value <= 0xffff ? 3 : 5;
}

/** The size that estimates assume for a peg-out of the active federation (`spec/06b-3 §6.5`, "S"). */
export function estimatedSize(session: BridgeSession, inputs: number, outputs: number): number {
  const federation = session.activeFederation;
  const script = redeemScript(federation, session.network, session.rules).length;
  const signatures = SIGNATURE_SIZE * federationThreshold(federation) * inputs;
  if (federation.format !== 4000) {
    return 4 + 1 + inputs * (36 + varIntSize(script) + script + 4) + 1 + OUTPUT_SIZE * outputs + 4 + signatures;
  }
  // The client serializes the transaction without its inputs here.
  const base = 4 + 1 + 1 + OUTPUT_SIZE * outputs + 4 + WITNESS_INPUT_SIZE * inputs;
  const total = base + signatures + inputs * script;
  return Math.floor((total + 3 * base) / 4);
}

/** Fee of two inputs and an output for every queued request, one more, and change. */
function feeByCount(session: BridgeSession): bigint {
  const size = estimatedSize(session, 2, queuedPegOuts(session) + 2);
  return (feePerKb(session) * BigInt(size)) / 1000n;
}

/**
 * Simulating the next batch needs the transaction builder, unless the active federation holds nothing: then it fails for
 * want of money. Throws {@link NativeMethodUnavailable} otherwise.
 */
function requireEmptyWallet(session: BridgeSession, method: string): void {
  queuedPegOuts(session);
  const { storage, activeFederation } = session;
  const isOld = activeFederation === storage.oldFederation && activeFederation !== storage.newFederation;
  const coins = storage.loadList(isOld ? CELLS.oldFederationUtxos : storage.newFederationUtxosKey);
  if (decodeRlpList(coins).length > 0) session.unavailable(method, "the federation holds coins");
}

/** What the next batch with one more request would cost (`spec/06b-3 §6.6`). */
export function estimatedFeesForNextPegOut(session: BridgeSession): bigint {
  const { rules } = session;
  const queued = queuedPegOuts(session);
  if (!rules.rskip385 && queued === 0) return 0n;
  if (rules.rskip305) requireEmptyWallet(session, "getEstimatedFeesForNextPegOutEvent()");
  return feeByCount(session);
}

/** The same for a given amount of wei; fails below the minimum and where no such batch can be built. */
export function estimatedFeesForPegOut(session: BridgeSession, [wei]: readonly AbiValue[]): bigint {
  const method = "getEstimatedFeesForPegOutAmount(uint256)";
  const satoshi = BigInt.asIntN(64, (wei as bigint) / WEI_PER_SATOSHI);
  if (satoshi < session.network.bridge.minimumPegOut.rskip219) session.fail(method, "below the minimum peg-out");
  requireEmptyWallet(session, method);
  return session.fail(method, "no such batch can be built");
}
