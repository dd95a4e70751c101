import { RPC_CODES, type RpcErrorName } from "../errors.js";
import type { MethodDefinition } from "../method.js";

/** An error that a method may answer. */
export interface DocumentedError {
  code: number;
  message: string;
}

const MEANINGS: Readonly<Partial<Record<RpcErrorName, string>>> = {
  INVALID_PARAMS: "a parameter is missing, superfluous or malformed",
  INTERNAL: "unexpected failure",
  RATE_LIMITED: "too many requests",
  LIMIT_EXCEEDED: "the limit of time or size is exceeded",
  STATE_NOT_FOUND: "the block, or its state, is not known",
  PENDING_UNSUPPORTED: "the method does not support 'pending' as a parameter",
  EXECUTION_FAILED: "the execution reverted, with its payload as data, or failed",
  LOG_LIMIT: "the query finds more logs, or spans more blocks, than allowed",
  SERVER_ERROR: "the request cannot be carried out; the message says why",
  TRANSACTION_REFUSED: "the transaction pool refuses the transaction",
  NOT_MINED: "the transaction was taken and could not be mined",
  WALLET_DISABLED: "the node holds no keys",
  SUBMISSION_REFUSED: "the solution is not taken",
};

const ALWAYS: readonly RpcErrorName[] = ["INVALID_PARAMS", "INTERNAL", "RATE_LIMITED", "LIMIT_EXCEEDED"];

/** What else methods answer, by the start of their names; every line that fits counts. */
const SPECIFIC: readonly (readonly [RegExp, readonly RpcErrorName[]])[] = [
  [/^eth_(call|estimateGas)$/, ["STATE_NOT_FOUND", "SERVER_ERROR", "EXECUTION_FAILED"]],
  [/^eth_get(Balance|TransactionCount|StorageAt|Code|Proof)$/, ["STATE_NOT_FOUND"]],
  [/^eth_get(Code|Proof|BlockByNumber|UncleCountByBlockNumber)$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_get(Uncle|Transaction)ByBlockNumberAndIndex$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_get(Logs|FilterLogs)$|^eth_newFilter$/, ["LOG_LIMIT"]],
  [/^eth_(new.*Filter|getFilter.*|subscribe)$/, ["SERVER_ERROR"]],
  [/^(eth|personal)_send/, ["TRANSACTION_REFUSED", "NOT_MINED", "EXECUTION_FAILED"]],
  [/^personal_/, ["WALLET_DISABLED"]],
  [/^mnr_submit/, ["SUBMISSION_REFUSED"]],
];

/** Errors of a method, besides those of the envelope (`spec/09 §3.1`). */
export function errorsOf({ name }: MethodDefinition): DocumentedError[] {
  const specific = SPECIFIC.filter(([pattern]) => pattern.test(name)).flatMap(([, names]) => names);
  return [...ALWAYS, ...specific].map((error) => ({ code: RPC_CODES[error], message: MEANINGS[error]! }));
}
