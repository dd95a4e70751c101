import type { TracedFrame, Tracer, TransactionOutcome } from "@cambium/evm";
import { toHex } from "@cambium/primitives";
import type { TracedMessage } from "../../calls/unsigned-transaction.js";
import type { AnswerBudget } from "./answer-budget.js";

const ENTRY_BYTES = 40;

/** Counts calls by selector and length of their arguments, as go-ethereum's `4byteTracer` does. */
export class FourByteTracer implements Tracer {
  private readonly counts = new Map<string, number>();

  constructor(private readonly budget: AnswerBudget) {}

  private hasFrame = false;

  enter({ kind, input }: TracedFrame): void {
    this.hasFrame = true;
    if (kind !== "create" && kind !== "create2") this.count(input);
  }

  /**
   * Numbers of calls by `<selector>-<length>`. A message to an account without code opens no frame, but counts; one to
   * a native contract does not.
   */
  result({ isCreation, input }: TracedMessage, { calledContracts }: TransactionOutcome): Record<string, number> {
    if (!this.hasFrame && !isCreation && calledContracts.size === 0) this.count(input);
    return Object.fromEntries(this.counts);
  }

  private count(input: Uint8Array): void {
    if (input.length < 4) return;
    const key = `0x${toHex(input.subarray(0, 4))}-${input.length - 4}`;
    const count = this.counts.get(key) ?? 0;
    if (count === 0) this.budget.spend(ENTRY_BYTES);
    this.counts.set(key, count + 1);
  }
}
