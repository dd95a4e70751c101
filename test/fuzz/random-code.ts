import { bigintToBytes, concatBytes } from "@cambium/primitives";
import { nativeCallData } from "./call-data.js";
import type { RandomSource } from "./random-source.js";

/** Accounts that code calls, queries and sends to. */
export interface Surroundings {
  accounts: readonly Uint8Array[];
}

const CALLS = [0xf1, 0xf1, 0xf2, 0xf4, 0xfa];
/** Opcodes that pop words and push one, by the number of words popped. */
const PLAIN: Readonly<Record<number, readonly number[]>> = {
  0: [
    0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x58, 0x59, 0x5a,
    0x5f, 0xaa,
  ],
  1: [0x15, 0x19, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x51, 0x54, 0x5c],
  2: [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b,
    0x1c, 0x1d, 0x20,
  ],
  3: [0x08, 0x09],
};
/** Opcodes that push nothing, by the number of words popped. */
const SILENT: Readonly<Record<number, readonly number[]>> = {
  2: [0x52, 0x53, 0x55, 0x5d, 0xa0],
  3: [0x37, 0x39, 0x3e, 0x5e, 0xa1],
  4: [0x3c, 0xa2],
};

/** Random byte code: complete statements that push their operands first, biased to calls, memory and output. */
export class CodeWriter {
  private readonly parts: Uint8Array[] = [];

  constructor(
    private readonly random: RandomSource,
    private readonly surroundings: Surroundings,
  ) {}

  write(statements: number): Uint8Array {
    for (let i = 0; i < statements; i++) this.statement();
    this.end();
    const code = concatBytes(...this.parts);
    return this.random.chance(0.03) ? concatBytes(Uint8Array.of(0xfc, 1, 1, this.random.below(3)), code) : code;
  }

  private op(...bytes: number[]): void {
    this.parts.push(Uint8Array.from(bytes));
  }

  private push(value: bigint): void {
    const bytes = value === 0n ? Uint8Array.of(0) : bigintToBytes(value);
    this.parts.push(Uint8Array.of(0x5f + bytes.length), bytes);
  }

  private pushBytes(bytes: Uint8Array): void {
    this.parts.push(Uint8Array.of(0x5f + bytes.length), bytes);
  }

  /** Pushes an offset or size, mostly one that the gas suffices for. */
  private pushExtent(): void {
    this.push(this.random.around(this.random.pick([0, 0, 1, 4, 31, 32, 33, 64, 128, 256, 1000])));
  }

  private pushTarget(): void {
    const kind = this.random.next();
    if (kind < 0.55) this.pushBytes(this.random.pick(this.surroundings.accounts));
    else if (kind < 0.9) this.pushBytes(nativeCallData(this.random).to);
    else if (kind < 0.95) this.push(this.random.number());
    else this.op(0x30);
  }

  private statement(): void {
    const kind = this.random.next();
    if (kind < 0.35) this.call();
    else if (kind < 0.5) this.nativeCall();
    else if (kind < 0.62) this.silent();
    else if (kind < 0.82) this.plain();
    else if (kind < 0.9) this.create();
    else this.odd();
  }

  private call(): void {
    const op = this.random.pick(CALLS);
    for (let i = 0; i < 4; i++) this.pushExtent();
    if (op === 0xf1 || op === 0xf2 || this.random.chance(0.15)) this.push(this.random.around(this.random.below(3)));
    this.pushTarget();
    this.pushGas();
    this.op(op);
    this.keep();
  }

  private pushGas(): void {
    if (this.random.chance(0.6)) this.push(BigInt(this.random.pick([0, 2300, 30_000, 60_000, 200_000])));
    else if (this.random.chance(0.7)) this.op(0x5a);
    else this.push(this.random.number());
  }

  /** Writes data for a native contract to memory and calls the contract with it. */
  private nativeCall(): void {
    const { to, data } = nativeCallData(this.random);
    for (let at = 0; at < Math.min(data.length, 640); at += 32) {
      const part = new Uint8Array(32);
      part.set(data.subarray(at, at + 32));
      this.pushBytes(part);
      this.push(BigInt(at));
      this.op(0x52);
    }
    const op = this.random.pick(CALLS);
    this.pushExtent();
    this.pushExtent();
    this.push(this.random.around(Math.min(data.length, 640)));
    this.push(this.random.around(0));
    if (op === 0xf1 || op === 0xf2) this.push(this.random.around(0));
    this.pushBytes(to);
    this.pushGas();
    this.op(op);
    this.keep();
  }

  /** Leaves the last result on the stack, or stores it, so that it affects the state root. */
  private keep(): void {
    if (this.random.chance(0.4)) return;
    if (this.random.chance(0.3)) this.op(0x3d, 0x01);
    this.push(BigInt(this.random.below(4)));
    this.op(0x55);
  }

  private plain(): void {
    const inputs = this.random.below(4);
    for (let i = 0; i < inputs; i++) {
      if (inputs === 1 && this.random.chance(0.3)) this.pushTarget();
      else if (this.random.chance(0.5)) this.pushExtent();
      else this.push(this.random.number());
    }
    this.op(this.random.pick(PLAIN[inputs]!));
    this.keep();
  }

  private silent(): void {
    const inputs = 2 + this.random.below(3);
    for (let i = 0; i < inputs; i++) this.pushExtent();
    this.op(this.random.pick(SILENT[inputs]!));
  }

  private create(): void {
    const init = new CodeWriter(this.random, this.surroundings).write(this.random.below(2)).subarray(0, 32);
    const padded = new Uint8Array(32);
    padded.set(init);
    this.pushBytes(padded);
    this.push(0n);
    this.op(0x52);
    const isSalted = this.random.chance(0.5);
    if (isSalted) this.push(this.random.number());
    this.push(this.random.around(init.length));
    this.push(this.random.around(0));
    this.push(this.random.around(this.random.below(2)));
    this.op(isSalted ? 0xf5 : 0xf0);
    this.keep();
  }

  private odd(): void {
    const kind = this.random.below(5);
    if (kind === 0) this.op(this.random.below(256));
    else if (kind === 1) this.op(0x80 + this.random.below(32));
    else if (kind === 2) {
      this.push(this.random.number());
      this.op(this.random.pick([0xa8, 0xa9]), this.random.below(256));
    } else if (kind === 3) {
      this.push(this.random.number());
      this.op(this.random.pick([0x56, 0x57]), 0x5b);
    } else {
      this.pushTarget();
      if (this.random.chance(0.4)) this.op(0xff);
    }
  }

  private end(): void {
    const kind = this.random.next();
    if (kind < 0.3) return;
    this.pushExtent();
    this.pushExtent();
    this.op(kind < 0.85 ? 0xf3 : kind < 0.95 ? 0xfd : 0xfe);
  }
}
