import { allNativeContracts } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import type { TracedFrame, TracedOutcome, TracedResult, TracedStep, Tracer } from "@cambium/evm";
import {
  bytesToBigint,
  contractAddress,
  contractAddress2,
  EMPTY_BYTES,
  fromHex,
  keccak256,
  leftPad,
  toHex,
} from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { AnswerBudget } from "./answer-budget.js";
import { failureText, opcodeText } from "./go-ethereum-texts.js";
import {
  type HostFunctions,
  type JavascriptSandbox,
  type SandboxedTracer,
  sandboxError,
} from "./javascript-sandbox.js";
import type { StepCosts } from "./step-costs.js";
import type { TracedStart } from "./traced-start.js";

/** Bytes beyond the memory that a tracer may read, as zeros. */
const MAX_PADDING = 2 ** 20;
const REVERT = 0xfd;
const EMPTY_WORD = "00".repeat(32);

/** A tracer in JavaScript, as a client sends it. */
export interface JavascriptOptions {
  source: string;
  /** JSON text of `tracerConfig`. */
  config: string;
}

type OpenFrame = Pick<TracedFrame, "kind" | "from" | "to" | "value" | "input">;

/** Calls the functions of a tracer in JavaScript as go-ethereum does. */
export class JavascriptTracer implements Tracer {
  private readonly code: SandboxedTracer;
  private readonly frames: OpenFrame[] = [];
  private readonly natives: ReadonlySet<string>;
  private now: TracedStep | undefined;
  private stack: bigint[] | undefined;
  private memory: Uint8Array | undefined;
  private steps = 0;
  /** The end of a creation, until the cost of its code is known. */
  private creation: TracedResult | undefined;
  private outer: TracedResult | undefined;
  /** Address that a creation made. */
  private created: Uint8Array | undefined;
  private result: unknown = null;

  constructor(
    sandbox: JavascriptSandbox,
    { source, config }: JavascriptOptions,
    private readonly state: JournaledState,
    private readonly start: TracedStart,
    private readonly costs: StepCosts,
    private readonly budget: AnswerBudget,
  ) {
    const rules = rulesAt(start.network, start.block.number);
    const natives = allNativeContracts(start.network).filter((contract) => contract.isActive(rules));
    this.natives = new Set(natives.map(({ address }) => toHex(address)));
    this.code = sandbox.tracer(source, config, this.hostFunctions());
  }

  enter(frame: TracedFrame): void {
    this.endCreation(0);
    this.frames.push(frame);
    if (this.frames.length === 1) this.created = frame.to;
    if (this.frames.length > 1 && this.code.hasEnter) this.code.call("enter", [entered(shownFrame(frame), frame.gas)]);
  }

  enterNative(call: TracedFrame): void {
    this.enter(call);
  }

  exitNative(result: TracedResult): void {
    this.exit(result);
  }

  step(step: TracedStep): void {
    this.endCreation(0);
    const index = this.steps++;
    this.now = step;
    this.stack = undefined;
    this.memory = undefined;
    const failure = this.costs.failures.get(index);
    const { op, pc, gas, depth } = step;
    const common = [op, opcodeText(step), pc, gas, this.costs.costs[index], depth + 1, step.refund()];
    if (this.code.hasStep) this.code.call("step", [...common, failure?.isEarly ? failure.text : undefined]);
    if (failure !== undefined && !failure.isEarly) this.code.call("fault", [...common, failure.text]);
    else if (op === REVERT && failure === undefined) this.code.call("fault", [...common, "execution reverted"]);
  }

  selfDestruct(from: Uint8Array, to: Uint8Array, value: bigint): void {
    if (!this.code.hasEnter) return;
    this.code.call("enter", [entered({ kind: "selfdestruct", from, to, value, input: EMPTY_BYTES }, 0)]);
    this.code.call("exit", [left({ output: EMPTY_BYTES, gasUsed: 0, reverted: false }, 0)]);
  }

  exit(result: TracedResult): void {
    this.endCreation(0);
    const { kind } = this.frames.pop()!;
    const isCreated = kind.startsWith("create") && !result.reverted && result.failure === undefined;
    if (isCreated) this.creation = result;
    else this.leave(result, 0);
  }

  deposit(gasCost: number, failure?: TracedResult["failure"]): void {
    if (failure !== undefined && this.creation !== undefined) {
      this.creation = { ...this.creation, failure, output: EMPTY_BYTES };
    }
    this.endCreation(gasCost);
  }

  end(outcome: TracedOutcome): void {
    this.endCreation(0);
    this.now = undefined;
    const text = this.code.result(this.contextOf(outcome));
    this.budget.spend(text.length);
    this.result = JSON.parse(text);
  }

  trace(): unknown {
    return this.result;
  }

  private endCreation(gasCost: number): void {
    const { creation } = this;
    if (creation === undefined) return;
    this.creation = undefined;
    this.leave(creation, gasCost);
  }

  private leave(result: TracedResult, gasCost: number): void {
    if (this.frames.length === 0) this.outer = result;
    else if (this.code.hasEnter) this.code.call("exit", [left(result, gasCost)]);
  }

  /** `ctx` of `result()`, with bytes and words as hex. */
  private contextOf({ gasUsed, output, status, exception, reverted }: TracedOutcome): string {
    const { message, position, block, gasPrice } = this.start;
    const failure = this.outer?.failure ?? (status === 0 ? exception : undefined);
    const error = failure === undefined ? (reverted ? "execution reverted" : undefined) : failureText(failure);
    const isPlaced = position.blockHash !== null && position.transactionHash !== null;
    return JSON.stringify({
      type: message.isCreation ? "CREATE" : "CALL",
      from: toHex(message.from),
      to: toHex(message.isCreation ? (this.created ?? message.to) : message.to),
      input: toHex(message.input),
      value: message.value.toString(16),
      gas: message.gasLimit,
      gasUsed,
      intrinsicGas: message.gasLimit - message.gas,
      gasPrice: gasPrice.toString(16),
      block: block.number,
      coinbase: toHex(block.coinbase),
      output: toHex(this.outer?.output ?? output ?? EMPTY_BYTES),
      error,
      ...(isPlaced
        ? {
            blockHash: position.blockHash!.slice(2),
            txHash: position.transactionHash!.slice(2),
            txIndex: position.transactionPosition,
          }
        : {}),
    });
  }

  private hostFunctions(): HostFunctions {
    const bytes = (value: string | number | undefined) => fromHex(String(value));
    const read = <T>(of: (state: JournaledState) => T) => this.state.untracked(() => of(this.state));
    return {
      peek: ([index]) => this.item(Number(index)).toString(16),
      stackSize: () => this.items().length,
      memory: ([begin, end]) => this.memorySlice(Number(begin), Number(end)),
      memorySize: () => this.wholeMemory().length,
      caller: () => toHex(this.frames.at(-1)?.from ?? EMPTY_BYTES),
      address: () => toHex(this.frames.at(-1)?.to ?? EMPTY_BYTES),
      value: () => (this.frames.at(-1)?.value ?? 0n).toString(16),
      input: () => inputOf(this.frames.at(-1)),
      balance: ([address]) => read((state) => state.getBalance(bytes(address)).toString(16)),
      nonce: ([address]) => Number(read((state) => state.getNonce(bytes(address)))),
      code: ([address]) => read((state) => state.getCode(bytes(address))),
      exists: ([address]) => read((state) => state.exists(bytes(address))),
      cell: ([address, slot]) => {
        const value = this.state.peekStorage(bytes(address), bytesToBigint(bytes(slot)));
        return value === undefined ? EMPTY_WORD : toHex(value.length < 32 ? leftPad(value, 32) : value);
      },
      isNative: ([address]) => this.natives.has(String(address)),
      contract: ([from, nonce]) => toHex(contractAddress(bytes(from), nonceOf(nonce))),
      contract2: ([from, salt, code]) => toHex(contractAddress2(bytes(from), bytes(salt), keccak256(bytes(code)))),
    };
  }

  private items(): bigint[] {
    this.stack ??= this.now?.stack() ?? [];
    return this.stack;
  }

  private item(index: number): bigint {
    const items = this.items();
    const item = items[items.length - 1 - index];
    if (item !== undefined) return item;
    throw sandboxError(`tracer accessed out of bound stack: size ${items.length}, index ${index}`);
  }

  private wholeMemory(): Uint8Array {
    this.memory ??= this.now?.memory() ?? EMPTY_BYTES;
    return this.memory;
  }

  private memorySlice(begin: number, end: number): Uint8Array {
    const memory = this.wholeMemory();
    const isRange = begin >= 0 && begin <= end && end <= memory.length + MAX_PADDING;
    if (!isRange) throw sandboxError(`tracer accessed out of bound memory: offset ${begin}, end ${end}`);
    const slice = new Uint8Array(end - begin);
    slice.set(memory.subarray(begin, end));
    return slice;
  }
}

/** A delegate call goes from the account that runs it to that of the code. */
function shownFrame(frame: TracedFrame): Entered {
  return frame.kind === "delegatecall" ? { ...frame, from: frame.to, to: frame.codeAddress } : frame;
}

type Entered = Pick<TracedFrame, "from" | "to" | "value" | "input"> & { kind: TracedFrame["kind"] | "selfdestruct" };

function entered({ kind, from, to, value, input }: Entered, gas: number): string {
  const shown = kind === "staticcall" ? undefined : value.toString(16);
  return JSON.stringify({
    type: kind.toUpperCase(),
    from: toHex(from),
    to: toHex(to),
    input: toHex(input),
    gas,
    value: shown,
  });
}

function left({ output, gasUsed, reverted, failure }: TracedResult, depositCost: number): string {
  const error = failure === undefined ? (reverted ? "execution reverted" : undefined) : failureText(failure);
  return JSON.stringify({ gasUsed: gasUsed + depositCost, output: toHex(output), error });
}

/** The call data; a creation has none. */
function inputOf(frame: OpenFrame | undefined): Uint8Array {
  return frame === undefined || frame.kind.startsWith("create") ? EMPTY_BYTES : frame.input;
}

function nonceOf(text: string | number | undefined): bigint {
  if (typeof text === "string" && /^\d{1,20}$/.test(text)) return BigInt(text);
  throw sandboxError(`Invalid nonce ${text}`);
}
