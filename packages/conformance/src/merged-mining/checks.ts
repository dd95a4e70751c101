import {
  FORK_DETECTION_HEADERS,
  main,
  NETWORKS,
  type NetworkConfig,
  RULE_NAMES,
  type RuleName,
  rulesAt,
} from "@cambium/config";
import { fromHex, messageOf, toHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";

/** Runs one case; an error becomes the reason of its failure. */
export function runCase(name: string, check: () => void): CaseResult {
  try {
    check();
    return { name, outcome: "passed" };
  } catch (error) {
    return { name, outcome: "failed", reason: messageOf(error) };
  }
}

/** Compares a value with the vector's, bytes as hex. An absent expectation is skipped. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (expected === undefined) return;
  const got = plain(actual);
  const want = plain(expected);
  if (got !== want) throw new Error(`${what}: expected ${want}, got ${got}`);
}

function plain(value: unknown): string {
  return value instanceof Uint8Array ? toHex(value) : String(value);
}

/** Bytes of a vector's hex string; null if there is none. */
export function bytesOrNull(hex: string | null | undefined): Uint8Array | null {
  return hex == null ? null : fromHex(hex);
}

/** `RSKIP92: true, RSKIPUMM: false, …` as the vectors write it. */
export type VectorRules = Readonly<Record<string, boolean>>;

function ruleName(name: string): RuleName {
  const rule = RULE_NAMES.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  if (rule === undefined) throw new Error(`unknown rule ${name}`);
  return rule;
}

/**
 * Returns the network whose rules apply to a header: that of the chain id; the main network if it agrees with the
 * listed rules; otherwise one with exactly the listed rules active from block 0. RSKIP-110 is listed only if the header
 * shows it, which no header below {@link FORK_DETECTION_HEADERS} does.
 */
export function networkFor(chainId: number | undefined, rules: VectorRules, number: number): NetworkConfig {
  const known = Object.values<NetworkConfig>(NETWORKS).find((network) => network.chainId === chainId);
  if (chainId !== undefined && known === undefined) throw new Error(`unknown chain id ${chainId}`);
  const network = known ?? main;
  const active: Record<RuleName, boolean> = { ...rulesAt(network, number) };
  active.rskip110 &&= number >= FORK_DETECTION_HEADERS;
  const differing = Object.keys(rules).filter((name) => active[ruleName(name)] !== rules[name]);
  if (differing.length === 0) return network;
  if (known !== undefined) throw new Error(`rules differ at block ${number}: ${differing.join(", ")}`);
  return networkWithRules(rules);
}

export function networkWithRules(rules: VectorRules): NetworkConfig {
  const on = new Set(
    Object.keys(rules)
      .filter((name) => rules[name])
      .map(ruleName),
  );
  const ruleHeights = Object.fromEntries(RULE_NAMES.map((rule) => [rule, on.has(rule) ? 0 : -1]));
  return { ...main, ruleHeights };
}
