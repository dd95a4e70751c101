import { equalBytes, toHex, toQuantity } from "@cambium/primitives";
import type { PooledTransaction } from "@cambium/txpool";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../definition/method.js";
import { ZERO_HASH } from "../objects/format.js";
import { pendingTransactionObject } from "../objects/transaction.js";
import type { JsonSchema } from "../params/param-type.js";
import { ADDRESS } from "../params/value-types.js";
import { arrayOf, QUANTITY, resource, TEXT } from "../schemas/values.js";

const COUNT = { type: "integer", minimum: 0 };

/** Lists of transactions by sender (40 hex digits without prefix) and nonce (decimal). */
type BySender<T> = Record<string, Record<string, T[]>>;

function groupsSchema(item: JsonSchema): JsonSchema {
  const groups = { type: "object", additionalProperties: { type: "object", additionalProperties: arrayOf(item) } };
  return { type: "object", properties: { pending: groups, queued: groups } };
}

const BY_NONCE = { type: "object", additionalProperties: resource("Transaction") };

/** Methods for the transaction pool (`spec/09 §13.5`, `spec/08 §9`, `§10`). */
export const POOL_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "txpool_content",
    summary: "All transactions of the pool by sender and nonce",
    params: [],
    result: groupsSchema(resource("Transaction")),
    handler: ({ pool }) => grouped(pool, contentMember),
  }),
  defineMethod({
    name: "txpool_contentFrom",
    summary: "The transactions of one sender in the pool, by nonce",
    params: [required("address", ADDRESS)],
    result: { type: "object", properties: { pending: BY_NONCE, queued: BY_NONCE } },
    handler: ({ pool }, [address]) => ({
      pending: byNonce(pool.pending(), address),
      queued: byNonce(pool.queued(), address),
    }),
  }),
  defineMethod({
    name: "txpool_inspect",
    summary: "Text summaries of all transactions of the pool by sender and nonce",
    params: [],
    result: groupsSchema(TEXT),
    handler: ({ pool }) => grouped(pool, summaryLine),
  }),
  defineMethod({
    name: "txpool_status",
    summary: "Numbers of pending and queued transactions in the pool",
    params: [],
    result: { type: "object", properties: { pending: COUNT, queued: COUNT } },
    handler: ({ pool }) => {
      const { pending, queued } = pool.counts();
      return { pending, queued };
    },
  }),
  defineMethod({
    name: "eth_pendingTransactions",
    summary: "Pending transactions sent from the node's accounts",
    params: [],
    result: arrayOf(resource("Transaction")),
    handler: ({ pool, accounts }) => {
      if (accounts === undefined) return [];
      return pool
        .pending()
        .filter(({ sender }) => accounts.has(sender))
        .map(({ transaction }) => ({ ...pendingTransactionObject(transaction), blockHash: ZERO_HASH }));
    },
  }),
  defineMethod({
    name: "eth_gasPrice",
    summary: "Suggested gas price in wei",
    params: [],
    result: QUANTITY,
    handler: ({ pool }) => toQuantity(pool.gasPrice()),
  }),
];

function grouped<T>(pool: MethodParts["pool"], show: (pooled: PooledTransaction) => T) {
  return { pending: bySender(pool.pending(), show), queued: bySender(pool.queued(), show) };
}

function bySender<T>(list: readonly PooledTransaction[], show: (pooled: PooledTransaction) => T): BySender<T> {
  const groups: BySender<T> = {};
  for (const pooled of list) {
    const ofSender = (groups[toHex(pooled.sender)] ??= {});
    (ofSender[String(pooled.transaction.nonce)] ??= []).push(show(pooled));
  }
  return groups;
}

/** One sender has at most one transaction of each nonce in a set. */
function byNonce(list: readonly PooledTransaction[], address: Uint8Array) {
  const own = list.filter(({ sender }) => equalBytes(sender, address));
  return Object.fromEntries(own.map((pooled) => [String(pooled.transaction.nonce), contentMember(pooled)]));
}

function contentMember({ transaction }: PooledTransaction) {
  return { ...pendingTransactionObject(transaction), blockHash: ZERO_HASH };
}

/** Receiver (empty for a creation), then value, gas and gas price in decimal. */
function summaryLine({ transaction }: PooledTransaction): string {
  const { to, value, gasLimit, gasPrice } = transaction;
  return `${toHex(to)}: ${value} wei + ${gasLimit} x ${gasPrice} gas`;
}
