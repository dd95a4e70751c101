import { PrimitivesError, toData } from "@cambium/primitives";
import { impersonatedTransaction, signTransaction, Transaction, TypesError } from "@cambium/types";
import type { CallObject } from "../calls/call-object.js";
import { executionFailure, minedFailure, nativeCallFailure } from "../calls/simulation-failure.js";
import { checkChainId, typeUnsupported, type UnsignedTransaction } from "../calls/transaction-request.js";
import { fillsTransactions, isDeployed, servesTools } from "../compatibility.js";
import type { MethodParts } from "../definition/method.js";
import { invalidParams, notMined, transactionRefused } from "../errors.js";

const FIRST_LEGACY_BYTE = 0x80;
/** Hardhat's matchers read it as a failure without a reason. */
const NO_PAYLOAD = "0x";

/** Decodes a signed transaction (`spec/09 §7.7`, 1). Throws {@link RpcError} `INVALID_PARAMS` if it is malformed. */
export function decodeTransaction(data: Uint8Array): Transaction {
  // The first byte of a typed transaction is its type (EIP-2718). A legacy transaction begins with the byte of a list.
  const [type = 0] = data;
  if (type > 0 && type < FIRST_LEGACY_BYTE) throw typeUnsupported(type);
  let transaction: Transaction;
  try {
    transaction = Transaction.decode(data);
  } catch (error) {
    if (!(error instanceof TypesError || error instanceof PrimitivesError)) throw error;
    throw invalidParams(`Invalid input: ${error.message}`);
  }
  // An empty gas price or value means 0, but an empty gas limit is missing (`spec/08 §3`).
  if (transaction.gasLimitBytes.length === 0) throw invalidParams("Missing parameter, gasPrice, gas or value");
  return transaction;
}

/** Gas limit and gas price of a request without them (`spec/09 §7.7`). */
const DEFAULT_GAS = 90_000n;
const DEFAULT_GAS_PRICE = 0n;

/**
 * Signs with the key of the request's account; a missing nonce is the account's next one. Throws {@link RpcError}
 * `INVALID_PARAMS`.
 */
export function signRequest(parts: MethodParts, request: UnsignedTransaction, key: Uint8Array): Transaction {
  const transaction = signTransaction(completed(parts, request), key);
  // Recovering the sender takes as long as all other checks of the pool. The wallet has verified that the key belongs
  // to this account.
  transaction.setSender(request.from);
  return transaction;
}

/**
 * A transaction of an impersonated account, which has a marker instead of a signature; a missing nonce is the account's
 * next one. Throws {@link RpcError} `INVALID_PARAMS`.
 */
export function impersonateRequest(parts: MethodParts, request: UnsignedTransaction): Transaction {
  return impersonatedTransaction(completed(parts, request), request.from);
}

function completed(parts: MethodParts, request: UnsignedTransaction) {
  const { chainId } = parts.chain.network;
  checkChainId(request, chainId);
  const { from, to, gas: gasLimit = DEFAULT_GAS, value, data } = request;
  const nonce = request.nonce ?? parts.pool.pendingNonce(from);
  // Only the deployed client signs a zero price in a form that no library encodes: hash and sender then appear to
  // differ.
  const gasPrice = gasPriceOf(parts, request) || (isDeployed(parts.config) ? 0n : null);
  return { nonce, gasPrice, gasLimit, to, value, data, chainId };
}

function gasPriceOf({ pool, config }: MethodParts, { gasPrice }: UnsignedTransaction): bigint {
  return gasPrice ?? (fillsTransactions(config) ? pool.gasPrice() : DEFAULT_GAS_PRICE);
}

/**
 * Returns the request with the gas that it needs, if it has none and the node fills it in. Rejects with
 * {@link RpcError} if its execution fails: no amount of gas would be enough.
 */
export async function fillGas(
  parts: MethodParts,
  request: UnsignedTransaction,
  estimateGas: (call: CallObject) => Promise<bigint>,
): Promise<UnsignedTransaction> {
  if (request.gas !== undefined || !fillsTransactions(parts.config)) return request;
  const { from, to, value, data } = request;
  const gasPrice = gasPriceOf(parts, request);
  return { ...request, gas: await estimateGas({ from, to, gas: undefined, gasPrice, value, data }) };
}

/**
 * Adds a transaction to the pool and resolves to its hash. Under automatic mining it resolves once the transaction is
 * mined. A failed execution is then an error although a block has the transaction (`spec/03 §8.1`). A transaction waits
 * in the pool if a nonce before it is missing, or if no block has room for it. Rejects with {@link RpcError}
 * `INVALID_PARAMS` for a bad signature, `TRANSACTION_REFUSED`, `NOT_MINED`, `EXECUTION_FAILED`.
 */
export async function sendTransaction(parts: MethodParts, transaction: Transaction): Promise<string> {
  const outcome = parts.pool.add(transaction, { local: true });
  if (outcome.kind === "refused") {
    const { code, message, detail } = outcome;
    if (code === "SIGNATURE") throw invalidParams(message);
    throw transactionRefused(detail === undefined || isDeployed(parts.config) ? message : `${message}: ${detail}`);
  }
  const { localMiner } = parts;
  if (outcome.kind === "pending" && localMiner?.mode.kind === "automatic" && localMiner.isMining) {
    await localMiner.idle();
    requireSuccess(parts, transaction.hash);
  }
  return toData(transaction.hash);
}

function requireSuccess(parts: MethodParts, hash: Uint8Array): void {
  const { chain, pool } = parts;
  const mined = chain.findTransaction(hash);
  if (mined === undefined) {
    if (pool.get(hash) !== undefined) return;
    throw notMined();
  }
  const { header, index } = mined;
  if (chain.receipt(header.hash, index)?.receipt.status === 1) return;
  const outcome = chain.replay(header.hash, () => undefined).outcomes[index]!;
  const failure = executionFailure(outcome, servesTools(parts) ? NO_PAYLOAD : undefined) ?? nativeCallFailure();
  throw servesTools(parts) ? minedFailure(failure, toData(hash)) : failure;
}
