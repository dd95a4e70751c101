import { REWARD_ADDRESS } from "@cambium/config";
import { bigintToBytes, encodeRlp, leftPad, utf8 } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";

/** Topic of every payment log: `mining_fee_topic`, right-aligned (`spec/05 §8.1`). */
export const MINING_FEE_TOPIC: Uint8Array = leftPad(utf8("mining_fee_topic"), 32);

/** Data of a payment log: RLP, not ABI, with the hash of the matured block. */
export function encodePaymentData(maturedHash: Uint8Array, amount: bigint): Uint8Array {
  return encodeRlp([maturedHash, bigintToBytes(amount)]);
}

/**
 * Pays from the contract's balance and records a log and a sub-trace. An amount of 0 is paid too, which creates an
 * absent payee as an empty account (`spec/05 §6`, "PAY").
 */
export function pay(context: NativeCallContext, maturedHash: Uint8Array, amount: bigint, payee: Uint8Array): void {
  context.state.transfer(REWARD_ADDRESS, payee, amount);
  context.log({
    address: REWARD_ADDRESS,
    topics: [MINING_FEE_TOPIC, leftPad(payee, 32)],
    data: encodePaymentData(maturedHash, amount),
  });
  context.payment(REWARD_ADDRESS, payee, amount);
}
