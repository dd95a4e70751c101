import type { ChainReader } from "@cambium/chain";
import { hasEthereumReverts } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { ANY_ERRORS } from "../definition/error-groups.js";
import type { MethodDefinition } from "../definition/method.js";
import { type MethodErrorName, RPC_CODES } from "../errors.js";

/** An error that a method may return. */
export interface DocumentedError {
  code: number;
  message: string;
}

const MEANINGS: Readonly<Record<MethodErrorName, string>> = {
  INVALID_PARAMS: "a parameter is missing, unexpected or malformed",
  INTERNAL: "unexpected failure",
  RATE_LIMITED: "too many requests",
  LIMIT_EXCEEDED: "a time, memory or size limit is exceeded",
  STATE_NOT_FOUND: "the block or its state is unknown",
  PENDING_UNSUPPORTED: "the method does not support 'pending' as a parameter",
  EXECUTION_FAILED:
    "the execution failed, or reverted with the payload in data; with `--rpc.compatibility development`, a revert has code 3",
  REVERTED: "the execution reverted with the payload in data",
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

/** The node whose errors are documented: its network and configuration decide some of them. */
export interface ErrorContext {
  chain: Pick<ChainReader, "network">;
  config: ApiConfig;
}

/** Errors of a method, in addition to those that any request can return (`spec/09 §3.1`). */
export function errorsOf({ errors }: MethodDefinition, { chain, config }: ErrorContext): DocumentedError[] {
  const names = new Set([...ANY_ERRORS, ...errors]);
  // Reads can fail on a fork: its source may not answer, or lack a part of the state.
  if (chain.network.fork !== undefined) names.add("SERVER_ERROR");
  if (names.has("EXECUTION_FAILED") && hasEthereumReverts(config)) names.add("REVERTED");
  return [...names].map((name) => ({ code: RPC_CODES[name], message: MEANINGS[name] }));
}
