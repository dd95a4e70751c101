import { unsupported } from "../errors.js";
import { METHODS } from "../methods/index.js";
import { IN_MAIN_THREAD } from "../requests/dispatcher.js";
import type { MethodDefinition } from "../requests/method.js";

/** What only the writer can do: it has the pool, and builds block templates. */
const WRITERS_MODULES = ["mnr", "txpool"];
const WRITERS_METHODS = [
  "eth_sendRawTransaction",
  "eth_sendRawTransactionSync",
  "eth_gasPrice",
  "eth_getWork",
  "eth_submitWork",
  "eth_submitHashrate",
];

function isWriters({ name, module }: MethodDefinition): boolean {
  return WRITERS_MODULES.includes(module) || WRITERS_METHODS.includes(name);
}

/**
 * The methods that a writer answers for replicas: what only it can do, and reads, which need it if they ask for what is pending. All others
 * do not exist for a replica: those of the wallet, the operator and the development network.
 */
export const METHODS_FOR_REPLICAS: readonly MethodDefinition[] = METHODS.filter(
  (method) => isWriters(method) || method.reads !== undefined || method.isHeavy,
);

/** The methods of a replica. Those that throw {@link IN_MAIN_THREAD} are forwarded to the writer. */
export const REPLICA_METHODS: readonly MethodDefinition[] = METHODS.map((method) => {
  if (isWriters(method)) return { ...method, needs: undefined, isHeavy: false, handler: forward };
  if (method.name === "eth_newPendingTransactionFilter") return { ...method, handler: refusePending };
  if (method.name !== "eth_subscribe") return method;
  const handler: MethodDefinition["handler"] = (modules, args, ...more) => {
    if (args[0] === "newPendingTransactions") return refusePending();
    if (args[0] === "work") throw unsupported("a replica does not receive work; ask for it with mnr_getWork");
    return method.handler(modules, args, ...more);
  };
  return { ...method, handler };
});

function forward(): never {
  throw IN_MAIN_THREAD;
}

/** Without this, a client would wait for transactions that never come. */
function refusePending(): never {
  throw unsupported("a replica does not receive pending transactions; ask the writer, or read txpool_content");
}
