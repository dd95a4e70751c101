import type { AbiArgument, AbiValue } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";

/**
 * Executes a method; returns its single result, or undefined if the method is void. Throws {@link BridgeError} if the
 * call fails.
 */
export type Implementation = (session: BridgeSession, args: readonly AbiArgument[]) => AbiValue | undefined;

/** Implementations by signature. */
export type Implementations = Readonly<Record<string, Implementation>>;

/** Converts a 256-bit argument that the deployed client reads as an int: its low 32 bits, signed. */
export function toInt32(value: AbiArgument): number {
  return Number(BigInt.asIntN(32, value as bigint));
}

/** Whether a value fits a signed 64-bit integer, as satoshi amounts must. */
export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
