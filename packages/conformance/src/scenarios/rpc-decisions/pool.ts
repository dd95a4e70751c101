import { fromHex, toQuantity } from "@cambium/primitives";
import type { Decision, DecisionContext, Json } from "./decision.js";

// Decisions of spec/09 §13.5, and of §7.6 about transactions that are not in a block.

/** A transaction that waits for a nonce is found by its hash like a pending one (`spec/09 §7.6`). */
export const queuedTransactionsAreFound: Decision = (recorded, own, { entry, pool }) => {
  const pooled = pool.get(fromHex(entry.params[0].slice(2)));
  const isFound = recorded === null && pooled?.isPending === false && own?.hash === entry.params[0];
  return isFound && own.blockHash === null ? own : recorded;
};

/** Amounts are quantities, a creation has no receiver, and the signature is included. */
export const poolTransactionsAreComplete: Decision = (recorded, _own, context) => ({
  pending: bySender(recorded.pending, context),
  queued: bySender(recorded.queued, context),
});

function bySender(senders: Json, context: DecisionContext): Json {
  return mapMembers(senders, (nonces) => {
    return mapMembers(nonces, (list) => list.map((transaction: Json) => complete(transaction, context)));
  });
}

function mapMembers(object: Json, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function complete(recorded: Json, { pool }: DecisionContext): Json {
  const pooled = pool.get(fromHex(recorded.hash.slice(2)))?.transaction;
  return {
    ...recorded,
    gasPrice: toQuantity(BigInt(recorded.gasPrice)),
    value: toQuantity(BigInt(recorded.value)),
    to: recorded.to === "0x00" ? null : recorded.to,
    v: toQuantity(pooled?.v ?? 0),
    r: toQuantity(pooled?.r ?? 0n),
    s: toQuantity(pooled?.s ?? 0n),
    type: "0x0",
  };
}
