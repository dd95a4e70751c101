import type { Rules } from "@cambium/config";
import type { StateReader } from "@cambium/state";

/** Whose addresses the federation share goes to: `spec/05 §7.2`. The bridge knows; the reward contract only asks. */
export interface FederatorSource {
  /**
   * Addresses in member order, at least one. The federation's age is measured at the matured height, activations and
   * storage are those of the executing block.
   */
  at(state: StateReader, maturedHeight: number, rules: Rules): readonly Uint8Array[];
}
