import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, DATA, NUMBER, objectOf } from "../params/value-types.js";

/** The members of a call object that a simulation reads (`spec/09 §8.1`). */
export interface CallObject {
  /** 20 zero bytes if none is named. */
  from: Uint8Array;
  /** The call names no sender, whose funds could limit it. */
  isAnonymous?: boolean;
  /** Empty for a contract creation. */
  to: Uint8Array;
  gas: bigint | undefined;
  gasPrice: bigint;
  value: bigint;
  data: Uint8Array;
}

const ZERO_ADDRESS = new Uint8Array(20);

/** Unknown members are ignored: client libraries add their own. */
export const CALL_OBJECT: ParamType<CallObject> = {
  name: "CALL",
  schema: { $ref: "#/components/schemas/Call" },
  parse(value) {
    const members = objectOf(value);
    // Validated like the others, although a simulation does not use them.
    for (const name of ["gasLimit", "nonce", "chainId"]) member(members, name, NUMBER);
    const from = member(members, "from", ADDRESS);
    return {
      from: from ?? ZERO_ADDRESS,
      isAnonymous: from === undefined,
      to: member(members, "to", ADDRESS) ?? EMPTY_BYTES,
      gas: member(members, "gas", NUMBER),
      gasPrice: member(members, "gasPrice", NUMBER) ?? 0n,
      value: member(members, "value", NUMBER) ?? 0n,
      data: callData(members),
    };
  },
};

/**
 * Returns the call data given under either of its names. Throws {@link RpcError} `INVALID_PARAMS` if both differ:
 * either choice could contradict the sender's intention.
 */
export function callData(members: Readonly<Record<string, unknown>>): Uint8Array {
  const [data, input] = [member(members, "data", DATA), member(members, "input", DATA)];
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    throw invalidParams("data and input differ; send one of them");
  }
  return input ?? data ?? EMPTY_BYTES;
}

function member<T>(members: Readonly<Record<string, unknown>>, name: string, type: ParamType<T>): T | undefined {
  const value = members[name];
  return value === undefined || value === null ? undefined : type.parse(value);
}
