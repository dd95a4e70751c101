import type { TracedFrame, Tracer } from "@cambium/evm";
import { equalBytes } from "@cambium/primitives";

/** Notes whether an account takes part in a transaction: in a call, a creation, a self-destruct or a reward payment. */
export class TouchTracer implements Tracer {
  touched = false;

  constructor(private readonly address: Uint8Array) {}

  enter({ from, to, codeAddress }: TracedFrame): void {
    this.note(from);
    this.note(to);
    this.note(codeAddress);
  }

  enterNative(call: TracedFrame): void {
    this.enter(call);
  }

  selfDestruct(address: Uint8Array, beneficiary: Uint8Array): void {
    this.note(address);
    this.note(beneficiary);
  }

  payment(from: Uint8Array, to: Uint8Array): void {
    this.note(from);
    this.note(to);
  }

  private note(account: Uint8Array): void {
    this.touched ||= equalBytes(account, this.address);
  }
}
