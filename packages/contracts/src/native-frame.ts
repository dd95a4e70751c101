import type { Rules } from "@cambium/config";
import {
  type AbiArgument,
  type AbiFunction,
  type AbiValue,
  encodeValues,
  readArguments,
  toHex,
} from "@cambium/primitives";
import { type NativeCallContext, type NativeContract, OncePerCall } from "@cambium/state";
import { NativeContractError } from "./errors.js";

/** One ABI method of a native contract. */
export interface NativeMethod {
  readonly definition: AbiFunction;
  /** Whether the method exists under these rules; always, if absent. */
  isEnabled?(rules: Rules): boolean;
  /** Gas of a call whose arguments are well-formed. */
  gas(args: readonly AbiArgument[], data: Uint8Array): number;
  /** The single result, or null for null output. Throws {@link NativeContractError} if the call fails. */
  execute(args: readonly AbiArgument[], context: NativeCallContext): AbiValue | null;
}

export interface NativeContractDefinition {
  address: Uint8Array;
  name: string;
  isActive(rules: Rules): boolean;
  methods: readonly NativeMethod[];
}

/**
 * Creates a contract that dispatches on the selector (`spec/04 §6.7`). A call fails at no cost if it selects no method
 * or its arguments cannot be decoded.
 */
export function createNativeContract(definition: NativeContractDefinition): NativeContract {
  const { address, name, isActive } = definition;
  const methods = new Map(definition.methods.map((method) => [method.definition.selector, method]));
  const calls = new OncePerCall((data, { rules }) => parseCall(methods, data, rules));

  return {
    address,
    name,
    isActive,
    recordsInternalTransactions: true,
    gas(data, context) {
      const call = calls.of(data, context);
      return call === undefined ? 0 : call.method.gas(call.args, call.data);
    },
    execute(data, context) {
      const call = calls.of(data, context);
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
  args: readonly AbiArgument[];
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
  const args = readArguments(method.definition, data);
  return args && { method, args, data };
}

/** First four bytes as hex digits, or as many as there are. */
function selectorOf(data: Uint8Array | null): string {
  return data === null ? "" : toHex(data.subarray(0, 4));
}
