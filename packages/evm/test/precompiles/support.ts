import { NETWORKS, type Rules, rulesAt } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract } from "@cambium/state";
import { precompiles } from "../../src/precompiles/index.js";

/** Every rule is active. */
export const LATEST: Rules = rulesAt(NETWORKS.local, 2000);

/** The latest rules but for some. */
export function without(...rules: (keyof Rules)[]): Rules {
  return { ...LATEST, ...Object.fromEntries(rules.map((rule) => [rule, false])) };
}

/** Precompiled contracts look at nothing but the rules. */
export function contextOf(rules: Rules = LATEST): NativeCallContext {
  return { rules } as NativeCallContext;
}

export function contract(name: string): NativeContract {
  const found = precompiles.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no precompiled contract ${name}`);
  return found;
}

/** Output in hex, or null, of a call with hex data. */
export function run(name: string, data: string | null, rules: Rules = LATEST): string | null {
  const output = contract(name).execute(data === null ? null : fromHex(data), contextOf(rules));
  return output === null ? null : toHex(output);
}

export function gas(name: string, data: string | null, rules: Rules = LATEST): number {
  return contract(name).gas(data === null ? null : fromHex(data), contextOf(rules));
}

/** A 32-byte word. */
export function word(value: bigint | number): string {
  return value.toString(16).padStart(64, "0");
}
