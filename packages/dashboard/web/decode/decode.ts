import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  fromRlp,
  hexToBytes,
} from "viem";
import { grouped } from "../format/numbers.js";
import type { Hex, Log } from "../node/types.js";
import { BRIDGE_ABI, OTHER_NATIVE_ABI, TOKEN_ABI } from "./interfaces.js";
import { knownAbis } from "./known-abis.js";
import { BRIDGE, nativeName, REWARD } from "./native.js";

/** A call or event in words. All parts are text from the chain: show them as text only. */
export interface Decoded {
  name: string;
  values: readonly DecodedValue[];
}

export interface DecodedValue {
  name: string;
  type: string;
  value: string;
}

/** The only log of the reward contract has a name as its topic and RLP data (`spec/05 §8.1`). */
const MINING_FEE_TOPIC = /^0x0{32}6d696e696e675f6665655f746f706963$/;

/** Undefined if the event is not known. */
export function decodeLog({ address, topics, data }: Pick<Log, "address" | "topics" | "data">): Decoded | undefined {
  if (address.toLowerCase() === REWARD) return decodePayment(topics, data);
  const abis = address.toLowerCase() === BRIDGE ? [BRIDGE_ABI] : [...knownAbis(address), TOKEN_ABI];
  for (const event of abis.flat() as Abi) {
    if (event.type !== "event") continue;
    const decoded = attempt(() => decodeEventLog({ abi: [event], topics: topics as [Hex, ...Hex[]], data }));
    if (decoded !== undefined) return named(event.name, event.inputs, decoded.args as unknown);
  }
  return undefined;
}

/** Undefined if the method is not known. `to` is undefined for a creation. */
export function decodeCall(to: string | null | undefined, input: Hex): Decoded | undefined {
  return found(to, input)?.decoded;
}

/** Decodes the return values of a call of a method. */
export function decodeReturn(to: string | null | undefined, input: Hex, output: Hex): Decoded | undefined {
  const method = found(to, input)?.method;
  return method && decodeOutput(method, output);
}

/** Returns the method that a call selects, whose arguments the input must encode. */
function found(to: string | null | undefined, input: Hex): { method: AbiFunction; decoded: Decoded } | undefined {
  if (!to || input.length < 10) return undefined;
  for (const method of methodsAt(to)) {
    if (method.type !== "function") continue;
    const decoded = attempt(() => decodeFunctionData({ abi: [method], data: input }));
    if (decoded !== undefined) return { method, decoded: named(method.name, method.inputs, decoded.args) };
  }
  return undefined;
}

function methodsAt(address: string): Abi {
  if (address.toLowerCase() === BRIDGE) return BRIDGE_ABI;
  return nativeName(address) === undefined ? ([...knownAbis(address), TOKEN_ABI].flat() as Abi) : OTHER_NATIVE_ABI;
}

/** Decodes the return values of a method; undefined if the bytes do not fit. */
export function decodeOutput(
  { name, outputs }: Pick<AbiFunction, "name" | "outputs">,
  output: Hex,
): Decoded | undefined {
  const values = attempt(() => (outputs.length === 0 ? [] : decodeAbiParameters(outputs, output)));
  return values && named(name, outputs, values);
}

/** Decodes the arguments of a constructor; undefined if the bytes do not fit. */
export function decodeConstructor({ inputs }: { inputs: readonly AbiParameter[] }, data: Hex): Decoded | undefined {
  const values = attempt(() => (inputs.length === 0 ? [] : decodeAbiParameters(inputs, data)));
  return values && named("constructor", inputs, values);
}

/**
 * Explains why a call of `to` was reverted, if its output tells: by its own error, or that of another known contract.
 */
export function decodeRevert(output: Hex | undefined, to?: string | null): string | undefined {
  const error = output === undefined || output.length < 10 ? undefined : decodeError(output, to);
  if (error === undefined) return undefined;
  const [first] = error.values;
  if (error.name === "Error") return first?.value;
  return `${error.name}(${error.values.map(({ value }) => value).join(", ")})`;
}

/** The error that a revert of `to` returns: a built-in one, or one of a known contract. */
export function decodeError(output: Hex, to?: string | null): Decoded | undefined {
  const own = knownAbis(to).flat() as Abi;
  const errors = own.filter((item) => item.type === "error");
  const decoded = attempt(() => decodeErrorResult({ abi: errors, data: output }));
  if (decoded === undefined) return undefined;
  const inputs = decoded.abiItem.type === "error" ? decoded.abiItem.inputs : [];
  return named(decoded.errorName, inputs, decoded.args);
}

/** The longest printable part of bytes, if there is one: miners write their names between other data. */
export function asciiOf(bytes: Hex): string | undefined {
  const parts = String.fromCharCode(...hexToBytes(bytes)).match(/[\x20-\x7e]{4,}/g) ?? [];
  return parts.toSorted((a, b) => b.length - a.length)[0];
}

function decodePayment(topics: readonly Hex[], data: Hex): Decoded | undefined {
  const fields = MINING_FEE_TOPIC.test(topics[0] ?? "") ? attempt(() => fromRlp(data, "hex")) : undefined;
  if (!Array.isArray(fields) || fields.length !== 2) return undefined;
  const [block, amount] = fields as [Hex, Hex];
  return {
    name: "mining fee",
    values: [
      { name: "payee", type: "address", value: `0x${topics[1]?.slice(-40) ?? ""}` },
      { name: "block", type: "bytes32", value: block },
      { name: "amount", type: "uint256", value: amount === "0x" ? "0" : grouped(BigInt(amount)) },
    ],
  };
}

function named(name: string, inputs: readonly AbiParameter[], values: unknown): Decoded {
  const members = (values ?? {}) as Record<string, unknown>;
  return {
    name,
    values: inputs.map(({ name: own = "", type }, index) => ({
      name: own || String(index),
      type,
      value: asText(Array.isArray(members) ? members[index] : members[own]),
    })),
  };
}

function asText(value: unknown): string {
  if (typeof value === "bigint") return grouped(value);
  if (Array.isArray(value)) return `[${value.map(asText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${asText(member)}`);
  return `{${members.join(", ")}}`;
}

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
