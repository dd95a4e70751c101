import { randomInt } from "node:crypto";
import type { DiscoveredNode } from "./interface.js";

/** Selects `count` of `nodes`: the first ones, and `random` ones of the rest. */
export function select(
  nodes: readonly DiscoveredNode[],
  { count, random }: { count: number; random: number },
): DiscoveredNode[] {
  if (nodes.length <= count) return [...nodes];
  const first = nodes.slice(0, count - random);
  const rest = nodes.slice(count - random);
  for (let i = 0; i < random; i++) {
    const other = randomInt(i, rest.length);
    [rest[i], rest[other]] = [rest[other]!, rest[i]!];
  }
  return [...first, ...rest.slice(0, random)];
}
