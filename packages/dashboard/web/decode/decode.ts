import {
  type Abi,
  type AbiParameter,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  fromRlp,
  hexToBytes,
} from "viem";
import { grouped } from "../format/numbers.js";
import type { Hex, Log } from "../node/types.js";
import { BRIDGE_ABI, OTHER_NATIVE_ABI, TOKEN_ABI } from "./interfaces.js";
import { BRIDGE, nativeName, REWARD } from "./native.js";

/** A call or event in words. Everything is text of the chain: to be shown as text. */
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
  const abi: Abi = address.toLowerCase() === BRIDGE ? BRIDGE_ABI : TOKEN_ABI;
  for (const event of abi) {
    if (event.type !== "event") continue;
    const decoded = attempt(() => decodeEventLog({ abi: [event], topics: topics as [Hex, ...Hex[]], data }));
    if (decoded !== undefined) return named(event.name, event.inputs, decoded.args as unknown);
  }
  return undefined;
}

/** Undefined if the method is not known. `to` is undefined for a creation. */
export function decodeCall(to: string | null | undefined, input: Hex): Decoded | undefined {
  if (!to || input.length < 10) return undefined;
  for (const method of methodsAt(to)) {
    if (method.type !== "function") continue;
    const decoded = attempt(() => decodeFunctionData({ abi: [method], data: input }));
    if (decoded !== undefined) return named(method.name, method.inputs, decoded.args);
  }
  return undefined;
}

function methodsAt(address: string): Abi {
  if (address.toLowerCase() === BRIDGE) return BRIDGE_ABI;
  return nativeName(address) === undefined ? TOKEN_ABI : OTHER_NATIVE_ABI;
}

/** Why a call was reverted, if its output says so. */
export function decodeRevert(output: Hex | undefined): string | undefined {
  if (output === undefined || output.length < 10) return undefined;
  const decoded = attempt(() => decodeErrorResult({ abi: [], data: output }));
  if (decoded === undefined) return undefined;
  const [value] = decoded.args as readonly unknown[];
  return decoded.errorName === "Panic" ? `Panic(${asText(value)})` : asText(value);
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
  return Array.isArray(value) ? `[${value.map(asText).join(", ")}]` : String(value);
}

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
