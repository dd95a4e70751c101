import type { Rules } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { fromBytes, toBigint, toWord, type Word } from "../words.js";

/** The native contracts of an era. */
export interface ActiveNatives {
  /** Lookups use the whole 32-byte word: with non-zero upper bytes it is an ordinary account (`spec/04 §4.3`). */
  find(word: Word): NativeContract | undefined;
  /** Their addresses in lower-case hex. */
  readonly addresses: readonly string[];
}

/** Finds the native contract at an address, by era. */
export class NativeRegistry {
  private readonly byRules = new WeakMap<Rules, ActiveNatives>();

  constructor(private readonly contracts: readonly NativeContract[]) {}

  at(rules: Rules): ActiveNatives {
    let natives = this.byRules.get(rules);
    if (natives === undefined) this.byRules.set(rules, (natives = activeNatives(this.contracts, rules)));
    return natives;
  }
}

function activeNatives(contracts: readonly NativeContract[], rules: Rules): ActiveNatives {
  const active = contracts.filter((contract) => contract.isActive(rules));
  const map = new Map(active.map((contract) => [canonical(fromBytes(contract.address)), contract]));
  return {
    find: (word) => map.get(canonical(word)),
    addresses: active.map(({ address }) => toHex(address)),
  };
}

/** Canonical form of a word as a map key. */
function canonical(word: Word): Word {
  return typeof word === "number" ? word : toWord(toBigint(word));
}
