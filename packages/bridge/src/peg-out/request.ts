import { concatBytes, hash160 } from "@cambium/primitives";
import { addressText } from "../bitcoin/address.js";
import { pegEvents } from "../events/peg-events.js";
import { refundValue, WEI_PER_SATOSHI } from "../payment.js";
import { estimatedPegOutSize, feePerKb } from "../releases/fees.js";
import { loadRequests, saveRequests } from "../releases/release-lists.js";
import type { BridgeSession } from "../session.js";

// releaseBtc: spec/06b-3 §4.

const METHOD = "releaseBtc()";

const LOW_AMOUNT = 1;
export const CALLED_BY_CONTRACT = 2;
const FEE_ABOVE_VALUE = 3;

/** Requests a peg-out of the call's value to the parent-chain address of the signer's key. */
export function requestPegOut(session: BridgeSession): undefined {
  const { context, rules } = session;
  const { value } = context;
  if (context.kind !== "transaction") {
    // A contract has no key, so there is no recipient; its value stays in the bridge.
    if (!rules.rskip185) session.fail(METHOD, "called by a contract");
    pegEvents.requestRejected(session, value, CALLED_BY_CONTRACT);
    return undefined;
  }
  const destination = signerHash(session);
  const satoshi = BigInt.asIntN(64, value / WEI_PER_SATOSHI);
  const reason = refusal(session, satoshi);
  if (reason !== undefined) {
    refuse(session, value, reason);
    return undefined;
  }
  const hash = rules.rskip146 ? context.transactionHash() : undefined;
  saveRequests(session, [...loadRequests(session), { destination, amount: satoshi, hash }]);
  if (rules.rskip185) {
    pegEvents.requestReceived(session, destination, addressText(session, { kind: "key", hash: destination }), value);
  }
  return undefined;
}

function signerHash(session: BridgeSession): Uint8Array {
  const key = session.context.transaction.signerKey?.();
  if (key === undefined) return session.fail(METHOD, "the transaction has no signer");
  return hash160(concatBytes(Uint8Array.of(2 + (key[63]! & 1)), key.subarray(0, 32)));
}

/** Returns the reason why an amount is too small to be paid; undefined if it is large enough. */
function refusal(session: BridgeSession, satoshi: bigint): number | undefined {
  const { rules, network } = session;
  const { initial, rskip219 } = network.bridge.minimumPegOut;
  if (!rules.rskip219) return satoshi > initial ? undefined : LOW_AMOUNT;
  const fee = (feePerKb(session) * BigInt(estimatedPegOutSize(session, 2, 2))) / 1000n;
  const needed = fee + (fee * network.bridge.feeGapPercent) / 100n;
  if (satoshi >= (needed > rskip219 ? needed : rskip219)) return undefined;
  return needed >= rskip219 ? FEE_ABOVE_VALUE : LOW_AMOUNT;
}

/**
 * Refuses a request. Before RSKIP-185 the value is kept without an event. Before RSKIP-427 the refund is rounded down
 * to whole satoshi.
 */
function refuse(session: BridgeSession, wei: bigint, reason: number): void {
  const { rules } = session;
  if (!rules.rskip185) return;
  refundValue(session, rules.rskip427 ? wei : wei - (wei % WEI_PER_SATOSHI));
  pegEvents.requestRejected(session, wei, reason);
}
