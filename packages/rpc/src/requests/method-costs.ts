import { METHODS, type MethodCost } from "@cambium/api";

/** Costs by all names of all methods, including those that another thread answers. */
const COSTS: ReadonlyMap<string, MethodCost> = new Map(
  METHODS.flatMap(({ name, aliases, cost }) => [name, ...aliases].map((one) => [one, cost] as const)),
);

/** Returns the cost of a method by its name; methods that do not exist cost as much as a read. */
export function costOf(method: string): MethodCost {
  return COSTS.get(method) ?? "read";
}
