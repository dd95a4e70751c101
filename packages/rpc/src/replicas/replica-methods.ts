import { type ApiParts, METHODS, type MethodDefinition } from "@cambium/api";
import { IN_MAIN_THREAD } from "../requests/interface.js";
import { absent } from "./absent-parts.js";

/** Methods that only the writer can perform: it admits transactions, and builds block templates. */
const WRITERS_METHODS = [
  "eth_sendRawTransaction",
  "eth_sendRawTransactionSync",
  "eth_gasPrice",
  "eth_getWork",
  "eth_submitWork",
  "eth_submitHashrate",
];

function isWriters({ name, module }: MethodDefinition): boolean {
  return module === "mnr" || WRITERS_METHODS.includes(name);
}

/**
 * The methods that a writer answers for replicas. They are the writer's own, and reads. Reads need the writer for
 * pending state, or while the mirror of its pool is incomplete. Replicas lack all other methods: those of the wallet,
 * the operator and the development network.
 */
export const METHODS_FOR_REPLICAS: readonly MethodDefinition[] = METHODS.filter(
  (method) => isWriters(method) || method.module === "txpool" || method.reads !== undefined || method.isHeavy,
);

/** The methods of a replica. Methods that throw {@link IN_MAIN_THREAD} are forwarded to the writer. */
export const REPLICA_METHODS: readonly MethodDefinition[] = METHODS.map((method) => {
  if (isWriters(method)) return { ...method, needs: undefined, isHeavy: false, handler: forward };
  if (method.name !== "eth_getFilterChanges") return method;
  const handler: MethodDefinition["handler"] = (parts, ...rest) =>
    method.handler({ ...parts, pool: asFarAsKnown(parts.pool) }, ...rest);
  return { ...method, handler };
});

function forward(): never {
  throw IN_MAIN_THREAD;
}

/**
 * Returns a pool that never asks the writer: a filter belongs to this replica, and the writer does not know its
 * changes.
 */
function asFarAsKnown(pool: ApiParts["pool"]): ApiParts["pool"] {
  const get: ApiParts["pool"]["get"] = (hash) => {
    try {
      return pool.get(hash);
    } catch (error) {
      if (error === IN_MAIN_THREAD) return undefined;
      throw error;
    }
  };
  return { ...absent<ApiParts["pool"]>(), get };
}
