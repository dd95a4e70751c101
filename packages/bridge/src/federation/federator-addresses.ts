import type { NetworkConfig, Rules } from "@cambium/config";
import type { StateReader } from "@cambium/state";
import type { Federation } from "../model/federation.js";
import { chooseFederations, readFederations } from "./choice.js";
import { keyAddress } from "./key-address.js";

/** Addresses that share the federation's part of the reward: `spec/05 §7.2`, `§7.3`. */
export class FederatorAddresses {
  private readonly byParentKey = new WeakMap<Federation, readonly Uint8Array[]>();
  private readonly byNodeKey = new WeakMap<Federation, readonly Uint8Array[]>();

  constructor(private readonly network: NetworkConfig) {}

  /**
   * Addresses in member order. The federation's age is measured at the matured height; activations and storage are
   * those of the executing block.
   */
  at(state: StateReader, maturedHeight: number, rules: Rules): readonly Uint8Array[] {
    const { active } = chooseFederations(readFederations(state), maturedHeight, this.network, rules);
    const known = rules.rskip415 ? this.byNodeKey : this.byParentKey;
    let addresses = known.get(active);
    if (addresses === undefined) {
      addresses = active.members.map((member) => keyAddress(rules.rskip415 ? member.rsk : member.btc));
      known.set(active, addresses);
    }
    return addresses;
  }
}
