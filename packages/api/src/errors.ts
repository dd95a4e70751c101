import type { ChainError } from "@cambium/chain";
import { CambiumError, toData } from "@cambium/primitives";

/** JSON-RPC error codes by name (`spec/09 §3.1`). */
export const RPC_CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  /** A required block or state is unknown. The deployed network uses the code of INVALID_REQUEST for it too. */
  STATE_NOT_FOUND: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL: -32603,
  /** `personal_…` while the node holds no keys. */
  WALLET_DISABLED: -32604,
  /** Unknown filters, failed simulations, rejected API keys. */
  SERVER_ERROR: -32000,
  /** A replica needs its writer for the request, which does not answer (EIP-1474, resource unavailable). */
  WRITER_AWAY: -32002,
  RATE_LIMITED: -32005,
  /** The block that a request names in `X-Head` has not arrived. */
  HEAD_NOT_REACHED: -32007,
  /** A node with automatic mining accepted a transaction but could not mine it. */
  NOT_MINED: -32009,
  /** A transaction is in the pool, but no block has it yet (EIP-7966). */
  NOT_MINED_IN_TIME: 4,
  /** Rejected by the transaction pool. */
  TRANSACTION_REFUSED: -32010,
  LIMIT_EXCEEDED: -32011,
  LOG_LIMIT: -32012,
  EXECUTION_FAILED: -32015,
  /** Ethereum's code of a revert, used where it is configured. */
  REVERTED: 3,
  PENDING_UNSUPPORTED: -32201,
  /** Calls and blocks that `eth_simulateV1` refuses, with the codes of go-ethereum. */
  NONCE_TOO_LOW: -38010,
  NONCE_TOO_HIGH: -38011,
  GAS_PRICE_TOO_LOW: -38012,
  INTRINSIC_GAS_TOO_LOW: -38013,
  INSUFFICIENT_FUNDS: -38014,
  BLOCK_GAS_LIMIT: -38015,
  BLOCK_NUMBER_ORDER: -38020,
  BLOCK_TIME_ORDER: -38021,
  CLIENT_LIMIT: -38026,
  /** A configuration file is wrong; the node runs on as before. */
  CONFIGURATION_REFUSED: -32016,
  /** A merged-mining solution was rejected. */
  SUBMISSION_REFUSED: -33000,
} as const;

export type RpcErrorName = keyof typeof RPC_CODES;

/** Errors of methods; the other errors belong to requests that reach no method. */
export type MethodErrorName = Exclude<
  RpcErrorName,
  "PARSE_ERROR" | "INVALID_REQUEST" | "METHOD_NOT_FOUND" | "WRITER_AWAY" | "HEAD_NOT_REACHED"
>;

/**
 * `text` is the message that the client receives. `data` is a hex string, present only for a revert (`spec/09 §3.1`),
 * and the hash for `NOT_MINED_IN_TIME`. `isRevert` distinguishes a revert from other failures of an execution. `hash`
 * is the hash of the transaction if a block contains it.
 */
export type AnswerFault = { code: RpcErrorName; text: string; data?: string; isRevert?: true; hash?: string };

/** The `error` member of a response; `data` is omitted if there is none. */
export interface RpcErrorObject {
  code: number;
  message: string;
  data?: string;
}

/** The error of this package. Other errors that a method throws become `INTERNAL` ones. */
export class RpcError extends CambiumError<AnswerFault> {
  /** The `error` member of a response. */
  toObject(): RpcErrorObject {
    const { code, text, data } = this.details;
    return data === undefined
      ? { code: RPC_CODES[code], message: text }
      : { code: RPC_CODES[code], message: text, data };
  }
}

/** A revert with Ethereum's code instead of the deployed network's; any other error is itself. */
export function withEthereumCode(error: RpcError): RpcError {
  const { details } = error;
  return details.isRevert ? new RpcError({ ...details, code: "REVERTED" }) : error;
}

const INTERNAL_TEXT = "Internal server error";

/** Maximum length of a request's value that is repeated in an error message. */
const ECHO_LIMIT = 200;

/** A value sent by the client, shortened for an error message. */
export function echo(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > ECHO_LIMIT ? `${text.slice(0, ECHO_LIMIT)}…` : text;
}

export function invalidRequest(text = "invalid request"): RpcError {
  return new RpcError({ code: "INVALID_REQUEST", text });
}

export function invalidParams(text = "method parameters invalid"): RpcError {
  return new RpcError({ code: "INVALID_PARAMS", text });
}

export function internalError(): RpcError {
  return new RpcError({ code: "INTERNAL", text: INTERNAL_TEXT });
}

/** A file of the database is damaged, or the disk fails; the log says why. */
export function databaseFailure(): RpcError {
  return new RpcError({ code: "INTERNAL", text: "The node cannot read or write its database" });
}

/**
 * Error of a fork whose source cannot be read. It says why, since the client is a developer on this machine who can
 * react.
 */
export function forkFailure({ details }: ChainError): RpcError {
  if (details.code !== "FORK_SOURCE") return internalError();
  const { source, what, reason } = details;
  return serverError(`Cannot read the forked chain from ${source} (${what}): ${reason}`);
}

/** The state of a fork cannot do this. */
export function unsupported(what: string): RpcError {
  return serverError(`Not supported: ${what}`);
}

export function stateNotFound(text: string): RpcError {
  return new RpcError({ code: "STATE_NOT_FOUND", text });
}

/** Receipts and logs of blocks from a snapshot are unknown; null or an empty list would mean that there are none. */
export function notExecutedHere(snapshot: number): RpcError {
  return stateNotFound(
    `Receipts and logs of blocks up to ${snapshot} are not available: the node started from a snapshot`,
  );
}

/** A block below published state or a snapshot, or one that was dropped. */
export function notStoredHere(number: number, oldest: number): RpcError {
  return stateNotFound(`Block ${number} is not available: the oldest block of this node is ${oldest}`);
}

export function pendingUnsupported(): RpcError {
  return new RpcError({
    code: "PENDING_UNSUPPORTED",
    text: "The method does not support 'pending' as a parameter",
  });
}

/** Failures of a simulation other than those of the virtual machine (`spec/09 §8.2`). */
export function serverError(text: string): RpcError {
  return new RpcError({ code: "SERVER_ERROR", text });
}

/** Response to `personal_…` methods if the node holds no keys (`spec/09 §13.3`). */
export function walletDisabled(): RpcError {
  return new RpcError({ code: "WALLET_DISABLED", text: "The local wallet feature is disabled" });
}

export function notMined(): RpcError {
  const text = "Unknown error when sending transaction: transaction wasn't mined";
  return new RpcError({ code: "NOT_MINED", text });
}

/** `text` is the pool's message, which client libraries recognise (`spec/09 §7.7`). */
export function transactionRefused(text: string): RpcError {
  return new RpcError({ code: "TRANSACTION_REFUSED", text });
}

/** The memory that a client may use for its filters and subscriptions is used up. */
export function tooManyCriteria(): RpcError {
  return serverError("too many filters and subscriptions, or too many addresses and topics in them");
}

/** A rejected merged-mining solution (`spec/03 §7.4`). */
export function submissionRefused(text: string): RpcError {
  return new RpcError({ code: "SUBMISSION_REFUSED", text });
}

/** The queue of heavy work is full, or the node is stopping. */
export function serverBusy(): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: "too many queued requests" });
}

/** Error of a pending block whose state is larger than the limit for messages to threads. */
export function pendingTooLarge(): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: "The pending block changes too much state for calls on it" });
}

export function timeLimitExceeded(): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: "Execution has got timeout out." });
}

/** Error for a search that found nothing in the blocks that one request may execute. */
export function searchTooLong(address: Uint8Array, from: number, to: number): RpcError {
  const text = `No transaction of ${toData(address)} in blocks ${from} to ${to}; one search executes no more`;
  return new RpcError({ code: "LIMIT_EXCEEDED", text: `${text}. Repeat the search with block number ${to}` });
}

export function sizeLimitExceeded(bytes: number): RpcError {
  return new RpcError({ code: "LIMIT_EXCEEDED", text: `Response size limit of ${bytes} bytes exceeded` });
}
