import type { TracedStep } from "@cambium/evm";
import { bigintToFixedBytes, toData, toQuantity } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { AnswerBudget } from "./answer-budget.js";
import { type CallFrame, type CallTracerOptions, callFrame } from "./call-tracer.js";
import { type Action, type CallNode, FrameTreeTracer } from "./frame-tree.js";
import { cellData } from "./prestate.js";

/** Options of `erc7562Tracer`. */
export interface Erc7562Options extends CallTracerOptions {
  /** Opcodes that are not counted; undefined: those without effect outside the frame. */
  ignoredOpcodes: readonly number[] | undefined;
}

/** Cells, opcodes and accounts that one frame used. Bundlers validate operations by them (ERC-7562). */
interface FrameUse {
  accessedSlots: {
    /** Values before the first access, by slot. */
    reads: Record<string, string[]>;
    writes: Record<string, number>;
    transientReads: Record<string, number>;
    transientWrites: Record<string, number>;
  };
  extCodeAccessInfo: string[];
  /** Counts by opcode. */
  usedOpcodes: Record<string, number>;
  contractSize: Record<string, { contractSize: number; opcode: number }>;
}

const GAS = 0x5a;
const KECCAK256 = 0x20;
const ISZERO = 0x15;
const EXTCODESIZE = 0x3b;
const ENDS: ReadonlySet<number> = new Set([0xf3, 0xfd]);
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa]);
const CODE_READS: ReadonlySet<number> = new Set([EXTCODESIZE, 0x3c, 0x3f]);
const CELL_ACCESSES: Readonly<Record<number, keyof FrameUse["accessedSlots"]>> = {
  84: "reads",
  85: "writes",
  92: "transientReads",
  93: "transientWrites",
};
/** POP, arithmetic, comparisons and PUSH, DUP, SWAP. */
const IGNORED: readonly number[] = [
  ...[0x50, 0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12, 0x13, 0x14, ISZERO, 0x16, 0x17, 0x19, 0x1b, 0x1c],
  ...Array.from({ length: 0xa0 - 0x5f }, (_, i) => 0x5f + i),
];
const ENTRY_BYTES = 150;

/** Call frames with the opcodes, cells and contracts that each used, as go-ethereum's `erc7562Tracer`. */
export class Erc7562Tracer extends FrameTreeTracer {
  /** Opcodes, cells and contracts used, keyed by the actions of a frame: copies of a node share its actions. */
  private readonly uses = new Map<readonly Action[], FrameUse>();
  private readonly ignored: ReadonlySet<number>;
  private readonly hashed = new Set<string>();
  private last: { op: number; top: bigint } | undefined;

  constructor(
    private readonly state: JournaledState,
    private readonly erc7562: Erc7562Options,
    private readonly limit: AnswerBudget,
  ) {
    super(limit, "all");
    this.ignored = new Set(erc7562.ignoredOpcodes ?? IGNORED);
  }

  step(step: TracedStep): void {
    const { op } = step;
    const stack = step.stack();
    const use = this.useOf(this.open.at(-1)!);
    if (ENDS.has(op)) this.last = undefined;
    this.addCodeRead(op, use);
    if (CODE_READS.has(op)) this.addSize(stack.at(-1), op, use);
    if (CALLS.has(op)) this.addSize(stack.at(-2), op, use);
    // GAS is allowed directly before a call.
    if (this.last?.op === GAS && !CALLS.has(op)) this.count(use.usedOpcodes, toQuantity(GAS));
    if (op !== GAS && !this.ignored.has(op)) this.count(use.usedOpcodes, toQuantity(op));
    this.addCell(step, stack.at(-1), use);
    if (op === KECCAK256) this.addHashed(step, stack.at(-1), stack.at(-2));
    this.last = { op, top: stack.at(-1) ?? 0n };
  }

  /** The outermost frame with all inner ones. */
  frame(tree: CallNode): CallFrame {
    const hashed = [...this.hashed].sort();
    return {
      ...callFrame(tree, { ...this.erc7562, membersOf: (node) => this.membersOf(node) }),
      ...(hashed.length === 0 ? {} : { keccak: hashed }),
    };
  }

  private membersOf(node: CallNode | undefined): object {
    const use = (node && this.uses.get(node.actions)) ?? unused();
    return { ...use, outOfGas: node?.failure?.kind === "out-of-gas" };
  }

  private useOf({ actions }: CallNode): FrameUse {
    let use = this.uses.get(actions);
    if (use === undefined) this.uses.set(actions, (use = unused()));
    return use;
  }

  /** Notes an address whose code was read, unless only its existence was checked. */
  private addCodeRead(op: number, { extCodeAccessInfo }: FrameUse): void {
    if (this.last === undefined || !CODE_READS.has(this.last.op)) return;
    if (this.last.op === EXTCODESIZE && op === ISZERO) return;
    this.limit.spend(ENTRY_BYTES);
    extCodeAccessInfo.push(toData(addressOf(this.last.top)));
  }

  private addSize(item: bigint | undefined, op: number, { contractSize }: FrameUse): void {
    if (item === undefined) return;
    const address = addressOf(item);
    const key = toData(address);
    if (contractSize[key] !== undefined) return;
    this.limit.spend(ENTRY_BYTES);
    contractSize[key] = { contractSize: this.state.untracked(() => this.state.getCodeSize(address)), opcode: op };
  }

  private addCell({ op, address }: TracedStep, slot: bigint | undefined, { accessedSlots }: FrameUse): void {
    const access = CELL_ACCESSES[op];
    if (access === undefined || slot === undefined) return;
    const key = cellData(slot);
    if (access !== "reads") this.count(accessedSlots[access], key);
    else if (accessedSlots.reads[key] === undefined && accessedSlots.writes[key] === undefined) {
      this.limit.spend(ENTRY_BYTES);
      accessedSlots.reads[key] = [cellData(this.state.peekStorage(address, slot) ?? 0n)];
    }
  }

  private addHashed(step: TracedStep, offset: bigint | undefined, size: bigint | undefined): void {
    if (offset === undefined || size === undefined || size > step.gas) return;
    const memory = step.memory().subarray(Number(offset), Number(offset + size));
    // Memory that was never written is zero.
    const bytes = new Uint8Array(Number(size));
    bytes.set(memory);
    const preimage = toData(bytes);
    if (this.hashed.has(preimage)) return;
    this.limit.spend(preimage.length);
    this.hashed.add(preimage);
  }

  private count(counts: Record<string, number>, key: string): void {
    if (counts[key] === undefined) this.limit.spend(ENTRY_BYTES);
    counts[key] = (counts[key] ?? 0) + 1;
  }
}

function unused(): FrameUse {
  const accessedSlots = { reads: {}, writes: {}, transientReads: {}, transientWrites: {} };
  return { accessedSlots, extCodeAccessInfo: [], usedOpcodes: {}, contractSize: {} };
}

function addressOf(item: bigint): Uint8Array {
  return bigintToFixedBytes(BigInt.asUintN(160, item), 20);
}
