import type { MethodDefinition } from "../definition/method.js";
import { RPC_CODES, type RpcErrorName } from "../errors.js";

/** An error that a method may return. */
export interface DocumentedError {
  code: number;
  message: string;
}

const MEANINGS: Readonly<Partial<Record<RpcErrorName, string>>> = {
  INVALID_PARAMS: "a parameter is missing, unexpected or malformed",
  INTERNAL: "unexpected failure",
  RATE_LIMITED: "too many requests",
  LIMIT_EXCEEDED: "a time, memory or size limit is exceeded",
  STATE_NOT_FOUND: "the block or its state is unknown",
  PENDING_UNSUPPORTED: "the method does not support 'pending' as a parameter",
  EXECUTION_FAILED:
    "the execution failed, or reverted with the payload in data; with `--rpc.compatibility development`, a revert has code 3",
  LOG_LIMIT: "the query matches more logs or spans more blocks than allowed",
  SERVER_ERROR: "the request failed; see the message",
  TRANSACTION_REFUSED: "the transaction pool rejected the transaction",
  NOT_MINED_IN_TIME: "the transaction is in the pool but was not mined in time; its hash is in data",
  NOT_MINED: "the transaction was accepted but could not be mined",
  WALLET_DISABLED: "the wallet is disabled",
  NONCE_TOO_LOW: "the nonce of a call is too low",
  NONCE_TOO_HIGH: "the nonce of a call is too high",
  GAS_PRICE_TOO_LOW: "the gas price of a call is below the block's minimum",
  INTRINSIC_GAS_TOO_LOW: "the gas of a call is less than its intrinsic gas",
  INSUFFICIENT_FUNDS: "the sender cannot pay for value and gas",
  BLOCK_GAS_LIMIT: "the gas of a call exceeds what is left in its block",
  BLOCK_NUMBER_ORDER: "block numbers do not ascend",
  BLOCK_TIME_ORDER: "block times do not ascend",
  CLIENT_LIMIT: "more blocks or calls than allowed",
  SUBMISSION_REFUSED: "the solution was rejected",
  CONFIGURATION_REFUSED: "the configuration is wrong, and nothing is changed; see the message",
};

const ALWAYS: readonly RpcErrorName[] = ["INVALID_PARAMS", "INTERNAL", "RATE_LIMITED", "LIMIT_EXCEEDED"];

const SIMULATION: readonly RpcErrorName[] = [
  "NONCE_TOO_LOW",
  "NONCE_TOO_HIGH",
  "GAS_PRICE_TOO_LOW",
  "INTRINSIC_GAS_TOO_LOW",
  "INSUFFICIENT_FUNDS",
  "BLOCK_GAS_LIMIT",
  "BLOCK_NUMBER_ORDER",
  "BLOCK_TIME_ORDER",
  "CLIENT_LIMIT",
];

/** Further errors of methods, by the start of their names; every matching line applies. */
const SPECIFIC: readonly (readonly [RegExp, readonly RpcErrorName[]])[] = [
  [/^eth_(call|estimateGas)$/, ["STATE_NOT_FOUND", "SERVER_ERROR", "EXECUTION_FAILED"]],
  [/^eth_fillTransaction$/, ["SERVER_ERROR", "EXECUTION_FAILED"]],
  [/^eth_sendRawTransactionSync$/, ["NOT_MINED_IN_TIME"]],
  [/^eth_get(Balance|TransactionCount|StorageAt|StorageValues|Code|Proof)$/, ["STATE_NOT_FOUND"]],
  [/^eth_get(Code|Proof|BlockByNumber|HeaderByNumber|UncleCountByBlockNumber)$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_get(Uncle|Transaction)ByBlockNumberAndIndex$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_(getBlockReceipts|getRawTransactionByBlockNumberAndIndex)$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_(getBlockReceipts|feeHistory)$|^debug_getRawReceipts$/, ["STATE_NOT_FOUND"]],
  [/^debug_getRaw(Header|Block|Receipts)$/, ["PENDING_UNSUPPORTED"]],
  [
    /^(debug_traceCall|debug_traceCallMany|trace_call|trace_callMany|trace_rawTransaction|eth_callMany|eth_createAccessList)$/,
    ["STATE_NOT_FOUND", "SERVER_ERROR", "EXECUTION_FAILED"],
  ],
  [/^eth_simulateV1$/, ["STATE_NOT_FOUND", ...SIMULATION]],
  [/^trace_replay/, ["STATE_NOT_FOUND"]],
  [/^trace_replayBlockTransactions$/, ["PENDING_UNSUPPORTED"]],
  [/^eth_get(Logs|FilterLogs)$|^eth_newFilter$/, ["LOG_LIMIT"]],
  [/^eth_(new.*Filter|getFilter.*|subscribe)$/, ["SERVER_ERROR"]],
  [/^(eth|personal)_send/, ["TRANSACTION_REFUSED", "NOT_MINED", "EXECUTION_FAILED"]],
  [/^(hardhat|anvil)_reset$|^hardhat_setPrevRandao$/, ["SERVER_ERROR"]],
  [/^personal_/, ["WALLET_DISABLED"]],
  [/^mnr_submit/, ["SUBMISSION_REFUSED"]],
  [/^admin_reloadConfig$/, ["CONFIGURATION_REFUSED"]],
];

/** Errors of a method, in addition to those that any request can return (`spec/09 §3.1`). */
export function errorsOf({ name }: MethodDefinition): DocumentedError[] {
  const specific = SPECIFIC.filter(([pattern]) => pattern.test(name)).flatMap(([, names]) => names);
  return [...ALWAYS, ...specific].map((error) => ({ code: RPC_CODES[error], message: MEANINGS[error]! }));
}
