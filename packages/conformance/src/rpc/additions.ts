// What this node serves in addition to the recorded answers (`spec/09 §7.8`, decision).

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
