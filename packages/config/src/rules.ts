import type { NetworkConfig } from "./network.js";
import { DEFAULT_RULES, RULE_NAMES, type RuleName } from "./upgrades.js";

/**
 * The rules that are active at a block. There is one frozen object per era, so that identity comparisons and caches
 * work.
 */
export type Rules = Readonly<Record<RuleName, boolean>>;

/** Activation height of a rule on a network; -1 means never. */
export function ruleHeight(network: NetworkConfig, rule: RuleName): number {
  const own = network.ruleHeights[rule];
  if (own !== undefined) return own;
  const standard = DEFAULT_RULES[rule];
  return typeof standard === "number" ? standard : network.upgrades[standard];
}

/** Whether a rule is active at block n: 0 <= height <= n (`spec/02 §1.2`). */
export function isActive(network: NetworkConfig, rule: RuleName, blockNumber: number): boolean {
  const height = ruleHeight(network, rule);
  return height >= 0 && blockNumber >= height;
}

/** Whether a rule activates exactly at block n. */
export function isActivating(network: NetworkConfig, rule: RuleName, blockNumber: number): boolean {
  return ruleHeight(network, rule) === blockNumber;
}

interface Era {
  from: number;
  rules: Rules;
}

const erasOf = new WeakMap<NetworkConfig, readonly Era[]>();

/** The rules at a block height. */
export function rulesAt(network: NetworkConfig, blockNumber: number): Rules {
  let eras = erasOf.get(network);
  if (eras === undefined) erasOf.set(network, (eras = buildEras(network)));
  let era = eras[0]!;
  for (const candidate of eras) if (candidate.from <= blockNumber) era = candidate;
  return era.rules;
}

function buildEras(network: NetworkConfig): readonly Era[] {
  const starts = new Set([0]);
  for (const rule of RULE_NAMES) if (ruleHeight(network, rule) > 0) starts.add(ruleHeight(network, rule));
  return [...starts]
    .sort((a, b) => a - b)
    .map((from) => ({
      from,
      rules: Object.freeze(
        Object.fromEntries(RULE_NAMES.map((rule) => [rule, isActive(network, rule, from)])),
      ) as Rules,
    }));
}

/** Header version of blocks under these rules (`spec/01 §0`). */
export function headerVersionAt(rules: Rules): 0 | 1 | 2 {
  return !rules.rskip351 ? 0 : rules.rskip535 ? 2 : 1;
}

/** Whether blocks contain parallel execution lists: RSKIP-144, which requires RSKIP-351 (`spec/02 §6.1`). */
export function hasExecutionLists(rules: Rules): boolean {
  return rules.rskip144 && rules.rskip351;
}
