import type { Rules } from "@cambium/config";
import type { StateReader } from "@cambium/state";

/** Source of the addresses that share the federation's part: `spec/05 §7.2`. Implemented by the bridge. */
export interface FederatorSource {
  /**
   * Addresses in member order, at least one. The federation's age is measured at the matured height; activations and
   * storage are those of the executing block.
   */
  at(state: StateReader, maturedHeight: number, rules: Rules): readonly Uint8Array[];
}
