import type { Rules } from "@cambium/config";
import { AbiError, type AbiFunction, type AbiValue, decodeArguments, encodeValues, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract } from "@cambium/state";
import { NativeContractError } from "./errors.js";

/** One method of a native contract behind the ABI. */
export interface NativeMethod {
  readonly definition: AbiFunction;
  /** Whether the method exists with these rules; always, when left out. */
  isEnabled?(rules: Rules): boolean;
  /** Gas of a call whose arguments decode. */
  gas(args: readonly AbiValue[], data: Uint8Array): number;
  /** The single result, or null for null output. Throws to fail. */
  execute(args: readonly AbiValue[], context: NativeCallContext): AbiValue | null;
}

export interface NativeContractDefinition {
  address: Uint8Array;
  name: string;
  isActive(rules: Rules): boolean;
  methods: readonly NativeMethod[];
}

/**
 * A contract that dispatches on the selector (`spec/04 §6.7`). A call that names no method or whose arguments do not
 * decode costs nothing and fails.
 */
export function createNativeContract(definition: NativeContractDefinition): NativeContract {
  const { address, name, isActive } = definition;
  const methods = new Map(definition.methods.map((method) => [method.definition.selector, method]));

  return {
    address,
    name,
    isActive,
    recordsInternalTransactions: true,
    gas(data, { rules }) {
      const call = parseCall(methods, data, rules);
      return call === undefined ? 0 : call.method.gas(call.args, call.data);
    },
    execute(data, context) {
      const call = parseCall(methods, data, context.rules);
      if (call === undefined) {
        throw new NativeContractError({ code: "INVALID_CALL", contract: name, selector: selectorOf(data) });
      }
      const result = call.method.execute(call.args, context);
      return result === null ? null : encodeValues(call.method.definition.outputs, [result]);
    },
  };
}

interface ParsedCall {
  method: NativeMethod;
  args: readonly AbiValue[];
  data: Uint8Array;
}

function parseCall(
  methods: ReadonlyMap<string, NativeMethod>,
  data: Uint8Array | null,
  rules: Rules,
): ParsedCall | undefined {
  if (data === null || data.length < 4) return undefined;
  const method = methods.get(selectorOf(data));
  if (method === undefined || method.isEnabled?.(rules) === false) return undefined;
  try {
    return { method, args: decodeArguments(method.definition, data), data };
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
}

/** First four bytes as hex digits, fewer where there are fewer. */
function selectorOf(data: Uint8Array | null): string {
  return data === null ? "" : toHex(data.subarray(0, 4));
}
