import { NETWORKS, type Rules, rulesAt } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract } from "@cambium/state";
import { precompiles } from "../../src/precompiles/index.js";

/** All rules active. */
export const LATEST: Rules = rulesAt(NETWORKS.local, 2000);

/** Returns the latest rules except the named ones. */
export function without(...rules: (keyof Rules)[]): Rules {
  return { ...LATEST, ...Object.fromEntries(rules.map((rule) => [rule, false])) };
}

/** Returns a context with rules only, because precompiled contracts read nothing else. */
export function contextOf(rules: Rules = LATEST): NativeCallContext {
  return { rules } as NativeCallContext;
}

export function contract(name: string): NativeContract {
  const found = precompiles.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no precompiled contract ${name}`);
  return found;
}

/** Calls a contract with hex data; returns its output as hex, or null. */
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
