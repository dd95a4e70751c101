import type { FailedRequest } from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { LineParts } from "./console-line.js";
import type { KnownSignatures } from "./known-signatures.js";
import { callText, creationText } from "./mined-transactions.js";

/** A call or an estimate that has failed, or a transaction that was not sent. */
export interface FailedCall {
  method: string;
  from?: string;
  to?: string;
  contract?: string;
  call?: string;
  status: "failed";
  reason: string;
}

/** A failed call, and its line. */
export interface ShownCallFailure {
  failed: FailedCall;
  line: LineParts;
}

/** Methods whose failure is a mistake of a contract or of its caller. */
const METHODS: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas", "eth_sendTransaction"]);
const EXECUTION_CODES: ReadonlySet<string> = new Set(["REVERTED", "EXECUTION_FAILED"]);
/** Digits of call data that are read. */
const MAX_DIGITS = 2 ** 18;

/**
 * Returns the call that a failed request executed; undefined if it executed none, or if a block contains the
 * transaction.
 */
export function failedCall(
  { method, params, error }: FailedRequest,
  chain: Pick<ChainReader, "best" | "stateAfter">,
  names: KnownSignatures,
): ShownCallFailure | undefined {
  const { text, data, isRevert, hash } = error.details;
  if (!METHODS.has(method) || !EXECUTION_CODES.has(error.code) || hash !== undefined || !Array.isArray(params))
    return undefined;
  const { from, to, input, data: callData = input, value } = (params[0] ?? {}) as Record<string, unknown>;
  const receiver = bytesOf(to);
  const sent = bytesOf(callData) ?? EMPTY_BYTES;
  const code = receiver === undefined ? sent : (chain.stateAfter(chain.best().hash)?.getCode(receiver) ?? EMPTY_BYTES);
  const contract = names.contractName(code, receiver === undefined);
  const output = isRevert && data !== undefined ? bytesOf(data) : undefined;
  const reason = (form: "whole" | "short") =>
    output === undefined
      ? text.replace(/^VM Exception while processing transaction: /, "")
      : names.revertText(output, form);
  const whole = receiver && sent.length > 0 ? names.call(sent, "whole") : undefined;
  return {
    failed: {
      method,
      ...(typeof from === "string" ? { from } : {}),
      ...(typeof to === "string" ? { to } : {}),
      ...(contract === undefined ? {} : { contract }),
      ...(whole === undefined ? {} : { call: `${whole.name}(${whole.arguments})` }),
      status: "failed",
      reason: reason("whole"),
    },
    line: {
      isSuccess: false,
      what:
        receiver === undefined
          ? creationText(contract, undefined)
          : callText({ to: receiver, data: sent, value: amountOf(value), contract }, names),
      result: reason("short"),
      origin: method,
    },
  };
}

/** Returns the bytes of hex digits; undefined for any other value. */
function bytesOf(value: unknown): Uint8Array | undefined {
  const isHex = typeof value === "string" && /^0x([0-9a-fA-F]{2})+$/.test(value) && value.length <= MAX_DIGITS;
  return isHex ? fromHex(value.slice(2)) : undefined;
}

function amountOf(value: unknown): bigint {
  return typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : 0n;
}
