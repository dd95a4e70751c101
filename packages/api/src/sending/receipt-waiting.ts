import { toData } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import type { MethodParts } from "../definition/method.js";
import { RpcError } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { requireReceipt } from "../lookups/block-lookup.js";
import { type ReceiptObject, receiptObject } from "../objects/receipt.js";

/** Milliseconds to wait: the default and the maximum (EIP-7966). */
export const DEFAULT_WAIT = 30_000;
const LONGEST_WAIT = 120_000;

/** The receipt of a transaction of the best chain; null if it has none. */
export function receiptOf({ chain }: MethodParts, hash: Uint8Array): ReceiptObject | null {
  const found = chain.findTransaction(hash);
  if (found === undefined) return null;
  return receiptObject(found, requireReceipt(chain, found.header.hash, found.index));
}

/**
 * Resolves to the receipt of a transaction once a block of the best chain has it. Rejects with {@link RpcError}
 * `NOT_MINED_IN_TIME` after `milliseconds`, and when `connection` ends.
 */
export function awaitReceipt(
  parts: MethodParts,
  { hash }: Transaction,
  milliseconds: number,
  connection: Deadline,
): Promise<ReceiptObject> {
  const wait = Math.min(milliseconds, LONGEST_WAIT);
  const deadline = connection.within(Math.max(wait, 1));
  return new Promise((resolve, reject) => {
    const stops = [
      parts.feed.on(() => settle()),
      deadline.onPassed(() => {
        finish();
        const text = `The transaction was added to the pool but not mined within ${wait} ms.`;
        reject(new RpcError({ code: "NOT_MINED_IN_TIME", text, data: toData(hash) }));
      }),
    ];
    const finish = () => {
      for (const stop of stops) stop();
    };
    const settle = () => {
      const receipt = receiptOf(parts, hash);
      if (receipt === null) return;
      finish();
      resolve(receipt);
    };
    settle();
  });
}
