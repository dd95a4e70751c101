// Differences that this node adds to the recorded answers (`spec/09 §7.8`, decision).

/** Methods that the recorded node does not have. */
export const ADDED_METHODS: ReadonlySet<string> = new Set(["eth_feeHistory", "eth_maxPriorityFeePerGas"]);

/** Members of transactions and logs. */
const ADDED_MEMBERS: ReadonlySet<string> = new Set(["blockTimestamp"]);

/** A JSON value without the members that the recorded one cannot have. */
export function withoutAdditions<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutAdditions) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !ADDED_MEMBERS.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutAdditions(member)])) as T;
}

const REVERTED = -32015;

/** Returns the error of a revert with the words at the end of its message by which client libraries recognise it. */
export function withRevertWords<T extends { code: number; message: string; data?: unknown }>(error: T): T {
  if (error.code !== REVERTED || error.data === undefined) return error;
  return { ...error, message: `${error.message} (execution reverted)` };
}

/** The message for a typed transaction (EIP-2718), instead of that of any malformed one. */
export function withTypeNamed<T extends { message: string }>(error: T, method: string, params: readonly unknown[]): T {
  const type = method === "eth_sendRawTransaction" ? /^0x([0-7][0-9a-f])/.exec(String(params[0]))?.[1] : undefined;
  if (type === undefined || type === "00") return error;
  const named = `transaction type ${Number.parseInt(type, 16)} is not supported on this network`;
  return { ...error, message: `${named}; send a legacy transaction` };
}
