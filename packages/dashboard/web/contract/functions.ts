import type { AbiFunction, AbiParameter } from "viem";

type Members = Readonly<Record<string, unknown>>;

/** Depth of structs in structs. */
const MAX_DEPTH = 12;
/** Items of lists of fixed length, in each other. */
const MAX_ITEMS = 500;
const TYPE = /^(u?int\d{0,3}|address|bool|string|bytes\d{0,2}|tuple|function|u?fixed\w{0,7})(\[\d{0,6}\]){0,8}$/;

/** The functions of an ABI of unknown origin, without those that no form can be made for. */
export function functionsOf(abi: readonly unknown[]): AbiFunction[] {
  return abi.filter((item): item is AbiFunction => {
    const { type, name, inputs, outputs = [] } = item as Members;
    return type === "function" && typeof name === "string" && areParameters(inputs) && areParameters(outputs);
  });
}

/** The constructor, if the ABI has one. */
export function constructorOf(abi: readonly unknown[]): { inputs: readonly AbiParameter[] } | undefined {
  return abi.find((item): item is { inputs: readonly AbiParameter[] } => {
    const { type, inputs } = item as Members;
    return type === "constructor" && areParameters(inputs);
  });
}

function areParameters(list: unknown, depth = 0, around = 1): list is AbiParameter[] {
  if (!Array.isArray(list) || list.length > 100) return false;
  return list.every((parameter) => {
    const { type, name = "", components } = (parameter ?? {}) as Members;
    if (typeof type !== "string" || typeof name !== "string" || !TYPE.test(type)) return false;
    const items = [...type.matchAll(/\[(\d+)\]/g)].reduce((product, [, length]) => product * Number(length), around);
    if (items > MAX_ITEMS) return false;
    return !type.startsWith("tuple") || (depth < MAX_DEPTH && areParameters(components, depth + 1, items));
  });
}

/** Whether the function is meant to be called without a transaction. */
export function isRead({ stateMutability }: AbiFunction): boolean {
  return stateMutability === "view" || stateMutability === "pure";
}

/** `order((string,uint64,uint256[]))` for readers: `order(Order what)`. */
export function signatureOf({ name, inputs }: Pick<AbiFunction, "name" | "inputs">): string {
  return `${name}(${inputs.map((input) => [typeOf(input), input.name].filter(Boolean).join(" ")).join(", ")})`;
}

/** The type as the source names it: `struct Workshop.Order` is `Order`. */
export function typeOf({ type, internalType }: AbiParameter): string {
  const named = /^(?:struct|enum|contract) (?:\w+\.)?(\w+)(.*)$/.exec(String(internalType ?? ""));
  return named === null ? type : `${named[1]}${named[2]}`;
}
