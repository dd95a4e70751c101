import type { FrameFailure, TracedFrame, TracedResult, Tracer } from "@cambium/evm";
import { equalBytes } from "@cambium/primitives";

/** Finds the account that created a contract in a transaction. Creations that failed or were reverted do not count. */
export class CreationTracer implements Tracer {
  /** Undefined if the transaction did not create the contract. */
  creator: Uint8Array | undefined;
  /** Open frames: the creator if the frame creates the contract, and the creator known before the frame. */
  private readonly open: { creator: Uint8Array | undefined; before: Uint8Array | undefined }[] = [];
  /** The creator that was known before the most recently ended frame. */
  private beforeLeft: Uint8Array | undefined;

  constructor(private readonly contract: Uint8Array) {}

  enter({ kind, from, to }: TracedFrame): void {
    const creates = (kind === "create" || kind === "create2") && equalBytes(to, this.contract);
    this.open.push({ creator: creates ? from : undefined, before: this.creator });
  }

  exit({ reverted, failure }: TracedResult): void {
    const { creator, before } = this.open.pop()!;
    this.beforeLeft = before;
    if (reverted || failure !== undefined) this.creator = before;
    else this.creator = creator ?? this.creator;
  }

  deposit(_gasCost: number, failure?: FrameFailure): void {
    if (failure !== undefined) this.creator = this.beforeLeft;
  }
}
