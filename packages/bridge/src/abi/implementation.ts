import type { AbiValue } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";

/**
 * What a method does: answers its single result, or undefined for a void method. Throws {@link BridgeError} to
 * fail the call.
 */
export type Implementation = (session: BridgeSession, args: readonly AbiValue[]) => AbiValue | undefined;

/** Implementations by signature. */
export type Implementations = Readonly<Record<string, Implementation>>;

/** A 256-bit argument where the network's client needs an int: its low 32 bits, signed. */
export function toInt32(value: AbiValue): number {
  return Number(BigInt.asIntN(32, value as bigint));
}

/** Whether a value is a signed 64-bit integer, as amounts in satoshi must be. */
export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
