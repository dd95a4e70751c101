import type { Rules } from "@cambium/config";
import type { NativeContract } from "@cambium/state";
import { fromBytes, toBigint, toWord, type Word } from "./words.js";

/** Finds the native contract at an address, by era. */
export class NativeRegistry {
  private readonly byRules = new WeakMap<Rules, ReadonlyMap<Word, NativeContract>>();

  constructor(private readonly contracts: readonly NativeContract[]) {}

  /** Lookups use the whole 32-byte word: with non-zero upper bytes it is an ordinary account (`spec/04 §4.3`). */
  finder(rules: Rules): (word: Word) => NativeContract | undefined {
    let active = this.byRules.get(rules);
    if (active === undefined) {
      const entries = this.contracts.filter((contract) => contract.isActive(rules));
      active = new Map(entries.map((contract) => [canonical(fromBytes(contract.address)), contract]));
      this.byRules.set(rules, active);
    }
    const map = active;
    return (word) => map.get(canonical(word));
  }
}

/** Canonical form of a word as a map key. */
function canonical(word: Word): Word {
  return typeof word === "number" ? word : toWord(toBigint(word));
}
