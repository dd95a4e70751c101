import type { ExceptionKind, TransactionOutcome } from "@cambium/evm";
import { bytesToBigint, EMPTY_BYTES, fromHex, toData, toHex } from "@cambium/primitives";
import { RpcError } from "../errors.js";

const PREFIX = "VM Exception while processing transaction:";

/** End of the message of a revert: ethers 5 and web3.py recognise reverts by these words. */
const REVERTED = " (execution reverted)";

/** Text of a revert whose data is not known. */
const UNKNOWN_REVERT = "transaction reverted";

/** Selector of `Error(string)`. */
const ERROR_STRING = "08c379a0";

/** Reason by kind of exception; for `other` see {@link otherReason}. */
const REASONS: Readonly<Record<Exclude<ExceptionKind, "other">, string>> = {
  "out-of-gas": "out of gas",
  "invalid-opcode": "invalid opcode",
  "bad-jump": "invalid jump destination",
  "stack-underflow": "stack underflow",
  // Indexers recognise by these words that a call fails whenever it is repeated.
  "stack-overflow": "stack limit reached 1024 (stack overflow)",
  "invalid-gas": "out of gas",
  "static-violation": "write protection",
  "contract-error": "precompiled contract failed",
};

/** A failure of the virtual machine as outcomes and tracers report it. */
export interface Failure {
  kind: ExceptionKind;
  message: string;
  /** Whether a native contract failed, with a message of this node's own. */
  isNative?: boolean;
}

/**
 * Returns the error of a failed execution (`spec/09 §8.2`, 6); undefined if it succeeded. `data` is the data of a
 * failure other than a revert: tools of developers expect `0x`, an empty payload.
 */
export function executionFailure(outcome: TransactionOutcome, data?: string): RpcError | undefined {
  if (outcome.reverted) return revertError(outcome.output ?? EMPTY_BYTES);
  const { exception } = outcome;
  if (exception === undefined) return undefined;
  return executionFailed(failureReason(exception), data);
}

/** The failure in the wording of `spec/09 §8.2`. */
export function failureReason({ kind, message, isNative }: Failure): string {
  if (isNative) return REASONS["contract-error"];
  return kind === "other" ? otherReason(message) : REASONS[kind];
}

/** The EVM throws instead of returning an outcome if a native contract that is called directly cannot start. */
export function nativeCallFailure(): RpcError {
  return executionFailed(REASONS["contract-error"]);
}

function executionFailed(reason: string, data?: string): RpcError {
  const text = `${PREFIX} ${reason}`;
  return new RpcError({ code: "EXECUTION_FAILED", text, ...(data === undefined ? {} : { data }) });
}

/** Rejected code, of the call or of a contract it creates, has a fixed text; any other failure has its own message. */
function otherReason(message: string): string {
  return /\bcode\b/.test(message) ? "contract code rejected" : message;
}

function revertError(payload: Uint8Array): RpcError {
  const reason = revertReason(payload);
  const text = reason === undefined ? `${PREFIX} ${UNKNOWN_REVERT}` : `${PREFIX} revert ${reason}`;
  return new RpcError({ code: "EXECUTION_FAILED", text: `${text}${REVERTED}`, data: toData(payload), isRevert: true });
}

/** The error of a revert in the words that `revertText` has for its data; any other error is itself. */
export function withRevertText(error: RpcError, revertText: (data: Uint8Array) => string | undefined): RpcError {
  const { isRevert, data, text } = error.details;
  const words =
    isRevert && data !== undefined && text.includes(UNKNOWN_REVERT) ? revertText(fromHex(data.slice(2))) : undefined;
  if (words === undefined) return error;
  return new RpcError({ ...error.details, text: text.replace(UNKNOWN_REVERT, () => `revert ${words}`) });
}

/** The failure of a transaction that is in a block: its sender can look it up. */
export function minedFailure({ details }: RpcError, hash: string): RpcError {
  return new RpcError({ ...details, text: `${details.text}; transaction ${hash}`, hash });
}

/** The text of an `Error(string)` payload; undefined for any other payload or if it cannot be decoded. */
export function revertReason(payload: Uint8Array): string | undefined {
  if (payload.length < 4 + 64 || toHex(payload.subarray(0, 4)) !== ERROR_STRING) return undefined;
  const body = payload.subarray(4);
  const offset = wordAt(body, 0n);
  const length = offset === undefined ? undefined : wordAt(body, offset);
  if (offset === undefined || length === undefined) return undefined;
  const start = offset + 32n;
  if (start + length > BigInt(body.length)) return undefined;
  return new TextDecoder().decode(body.subarray(Number(start), Number(start + length)));
}

function wordAt(body: Uint8Array, offset: bigint): bigint | undefined {
  if (offset + 32n > BigInt(body.length)) return undefined;
  return bytesToBigint(body.subarray(Number(offset), Number(offset) + 32));
}
