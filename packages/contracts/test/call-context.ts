import { NETWORKS, type Rules, rulesAt } from "@cambium/config";
import { type AbiValue, abiFunction, decodeArguments, encodeValues, toHex } from "@cambium/primitives";
import type { AncestorReader, ExecutingBlock, NativeCallContext, NativeContract } from "@cambium/state";

/** All rules active. */
export const LATEST: Rules = rulesAt(NETWORKS.local, 2000);

export const NO_ANCESTORS: AncestorReader = {
  hash: () => undefined,
  header: () => undefined,
  uncles: () => undefined,
  totalDifficulty: () => undefined,
};

/** Returns a context with the members that stateless contracts read. */
export function callContext(changes: {
  rules?: Rules;
  number?: number;
  ancestors?: AncestorReader;
  depth?: number;
}): NativeCallContext {
  const { rules = LATEST, number = 2000, ancestors = NO_ANCESTORS, depth = 0 } = changes;
  return { rules, depth, block: { number, ancestors } as ExecutingBlock } as NativeCallContext;
}

/** Calls a method through the ABI; returns its gas and single result. */
export function callMethod(
  contract: NativeContract,
  signature: { name: string; inputs: string[]; output: string },
  args: readonly AbiValue[],
  context: NativeCallContext = callContext({}),
): { gas: number; result: AbiValue | null } {
  const { name, inputs, output } = signature;
  const data = encodeCall(name, inputs, args);
  const gas = contract.gas(data, context);
  const encoded = contract.execute(data, context);
  // The data of a call are the caller's memory, which changes afterwards.
  data.fill(0xa5);
  if (encoded === null) return { gas, result: null };
  // Results are encoded like arguments, without a selector.
  const shifted = new Uint8Array(4 + encoded.length);
  shifted.set(encoded, 4);
  return { gas, result: decodeArguments(abiFunction(name, [output], []), shifted)[0]! };
}

export function encodeCall(name: string, inputs: string[], args: readonly AbiValue[]): Uint8Array {
  const definition = abiFunction(name, inputs, []);
  const encoded = encodeValues(definition.inputs, args);
  return Uint8Array.from([...Buffer.from(definition.selector, "hex"), ...encoded]);
}

/** Hex of a bytes result. */
export function hexOf(value: AbiValue | null): string {
  return toHex(value as Uint8Array);
}
