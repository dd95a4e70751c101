import type { ChainReader } from "@cambium/chain";
import { equalBytes, toData } from "@cambium/primitives";
import { CONSOLE_ADDRESS } from "./console-log.js";
import type { KnownSignatures } from "./known-signatures.js";

type Tracer = NonNullable<ReturnType<Parameters<ChainReader["replay"]>[1]>>;
type Frame = Parameters<NonNullable<Tracer["enter"]>>[0];
type Result = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Lines of one transaction. */
const MAX_LINES = 1_000;
/** Bytes of an output that are shown. */
const SHOWN_OUTPUT = 64;

/**
 * The calls of a transaction as indented lines: `anvil_enableTraces`. Native contracts open no frame, so they have no
 * line.
 */
export class CallLines implements Tracer {
  private readonly made: string[] = [];
  private omitted = 0;
  /** Depth of each open frame, or undefined if it has no lines. */
  private readonly open: (number | undefined)[] = [];
  /** Index of the line of the frame that ended last, whose deposit may fail. */
  private ended = -1;

  constructor(private readonly names: KnownSignatures) {}

  /** The lines, without the calls that only print. */
  get lines(): readonly string[] {
    return this.omitted === 0 ? this.made : [...this.made, `… ${this.omitted} more lines`];
  }

  enter(frame: Frame): void {
    if (equalBytes(frame.to, CONSOLE_ADDRESS)) {
      this.open.push(undefined);
      return;
    }
    const depth = this.open.length;
    this.open.push(depth);
    this.add(depth, callText(frame, this.names));
  }

  exit(result: Result): void {
    const depth = this.open.pop();
    this.ended = -1;
    if (depth === undefined) return;
    this.ended = this.made.length;
    this.add(depth, `← ${resultText(result, this.names)}`);
  }

  deposit(_gasCost: number, failure?: Result["failure"]): void {
    const line = this.made[this.ended];
    if (failure === undefined || line === undefined) return;
    this.made[this.ended] = `${line.slice(0, line.indexOf("←"))}← failed: ${failure.message}`;
  }

  private add(depth: number, text: string): void {
    if (this.made.length < MAX_LINES) this.made.push(`${"  ".repeat(depth)}${text}`);
    else this.omitted++;
  }
}

function callText({ kind, to, codeAddress, value, input, gas }: Frame, names: KnownSignatures): string {
  const paid = value === 0n ? "" : ` value ${value}`;
  if (kind === "create" || kind === "create2") return `${kind} ${toData(to)}${paid}, gas ${gas}`;
  const target = toData(kind === "call" || kind === "staticcall" ? to : codeAddress);
  const name = names.functionName(input);
  return `${kind} ${target}${name === undefined ? "" : ` ${name}`}${paid}, gas ${gas}`;
}

function resultText({ output, gasUsed, reverted, failure }: Result, names: KnownSignatures): string {
  if (failure !== undefined) return `failed: ${failure.message}`;
  if (reverted) return `reverted ${names.revertText(output)}`;
  const more = output.length > SHOWN_OUTPUT ? `… (${output.length} bytes)` : "";
  const shown = output.length === 0 ? "" : `${toData(output.subarray(0, SHOWN_OUTPUT))}${more}, `;
  return `${shown}gas used ${gasUsed}`;
}
