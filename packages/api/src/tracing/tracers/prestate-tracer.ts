import type { Tracer } from "@cambium/evm";
import type { ObservedState, TouchedAccount } from "./observed-state.js";

/** Records the accounts that one transaction touches. */
export class PrestateTracer implements Tracer {
  /** Empty until the transaction has ended. */
  touched: readonly TouchedAccount[] = [];

  constructor(private readonly state: ObservedState) {
    state.start();
  }

  end(): void {
    this.touched = this.state.stop();
  }
}
