import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { AnalysedCode } from "../src/code/analysed-code.js";
import { blocksOf } from "../src/code/blocks.js";
import { Fused } from "../src/code/fused.js";
import { stepTable } from "../src/opcodes.js";
import { type BareRun, runBare } from "./bare-frame.js";

/** Everything that an execution can show to others. */
function shown(code: string, options: BareRun) {
  const tracker = { reads: new Set<string>(), writes: new Set<string>() };
  const { frame, state, execution, gasUsed } = runBare(code, { ...options, tracker });
  return {
    status: frame.status,
    failure: frame.failure?.message,
    kind: frame.failure?.kind,
    gasUsed,
    output: toHex(frame.output),
    refund: frame.refund,
    maxGasUsed: frame.maxGasUsed,
    internalTransactions: frame.internalTransactions,
    logs: execution.logs.map(({ topics, data }) => [...topics, data].map(toHex)),
    root: toHex(state.preview().root),
    tracker,
  };
}

function assertSame(code: string, options: BareRun = {}): void {
  const byBlocks = shown(code, options);
  assert.deepEqual(byBlocks, shown(code, { ...options, stepByStep: true }), `${code} with ${options.gas} gas`);
  assert.deepEqual(byBlocks, shown(code, { ...options, tracer: {} }), `${code} with ${options.gas} gas`);
}

/** Names of the fused instructions of code, in order. */
function fused(code: string): string[] {
  const analysed = new AnalysedCode(fromHex(code));
  const { ops } = blocksOf(analysed, stepTable(rulesAt(NETWORKS.local, 2000)))!;
  const names = new Map<number, string>(Object.entries(Fused).map(([name, op]) => [op, name]));
  return [...ops.subarray(0, analysed.bytes.length)].flatMap((op) => names.get(op) ?? []);
}

const hex = (value: number) => value.toString(16).padStart(2, "0");
/** Sequences that compilers emit, and those that are fused. */
const SEQUENCES = [
  "600160a01b", // 2^160
  "6001600160a01b0316", // low 160 bits
  "67ffffffffffffffff16",
  "60ff16",
  "600019", // 2^256 - 1
  "60001901", // minus 1
  "601f1916",
  "601f01601f1916",
  "60e01c",
  "60051b",
  "608060020a",
  "60016080" + "1b9004", // divided by 2^128
  "6001608" + "01b02",
  "6080604052",
  "604051",
  "9150",
  "9050",
  "5050",
  "61ffff01",
  "5f52",
  "5f51",
  "5f01",
];

describe("blocks of code", () => {
  it("fuse the sequences that compilers emit", () => {
    assert.deepEqual(fused("341560075734" + "6001600160a01b0300"), ["BLOCK", "BLOCK", "CONSTANT"]);
    assert.deepEqual(fused("600035600757005b60e01c6001600160801b900400"), [
      ...["BLOCK", "JUMP_IF", "BLOCK"],
      ...["LANDING", "SHIFT_RIGHT", "SHIFT_RIGHT"],
    ]);
    assert.deepEqual(fused("341560065700" + "5b600b5600" + "5b6000190150"), [
      ...["BLOCK", "JUMP_UNLESS", "BLOCK"],
      ...["LANDING", "JUMP_TO"],
      ...["LANDING", "ADD_CONSTANT"],
    ]);
  });

  it("fail like single opcodes at the opcode that lacks gas", () => {
    // Stores, reads and writes a cell, and jumps to where there is no JUMPDEST.
    const code = "60016000526020600020600055600054600157600060005260006000a06003565b00";
    for (let gas = 0; gas < 26_500; gas += gas < 120 ? 1 : 97) assertSame(code, { gas });
  });

  it("fail like single opcodes for lack of stack items or room", () => {
    for (const code of [
      "600101",
      "60016001015050",
      "6001600256",
      "5b80600056",
      "5b5f5f5f5f5f600056",
      "60016000f3",
      "0c",
      "21",
      "600d0d",
    ]) {
      assertSame(code);
    }
    for (let items = 1015; items <= 1025; items++) assertSame(`${"5f".repeat(items)}60016001600160a01b031600`);
  });

  it("end like single opcodes behind the code", () => {
    for (const code of [
      "60",
      "7f01",
      "6001",
      "61000456",
      "60016004575b",
      "6001600757005b34",
      "fc0000015b00",
      "fc000009",
    ]) {
      assertSame(code);
    }
  });

  it("do not divide code whose DUPN or SWAPN skips bytes", () => {
    const rules = stepTable({ ...rulesAt(NETWORKS.local, 2000), rskip191: false });
    assert.equal(blocksOf(new AnalysedCode(fromHex("6001a85b00")), rules), undefined);
  });

  it("show the same as single opcodes for random code", () => {
    const op = fc.oneof(
      fc.constantFrom(...SEQUENCES),
      fc.constantFrom(...SEQUENCES),
      fc.constantFrom(
        "01",
        "02",
        "03",
        "04",
        "06",
        "0b",
        "10",
        "11",
        "12",
        "13",
        "14",
        "15",
        "16",
        "17",
        "18",
        "19",
        "1a",
      ),
      fc.constantFrom(
        "1b",
        "1c",
        "1d",
        "20",
        "30",
        "33",
        "34",
        "35",
        "36",
        "3d",
        "42",
        "50",
        "51",
        "52",
        "54",
        "55",
        "58",
      ),
      fc.constantFrom("59", "5a", "5b", "5b", "5b", "5f", "a0", "a1", "f3", "fd", "fe", "ff", "0c", "0e", "21"),
      fc.nat(31).map((n) => hex(0x80 + n)),
      fc.nat(255).map((n) => `60${hex(n)}`),
      fc.nat(80).map((n) => `60${hex(n)}56`),
      fc.nat(80).map((n) => `60${hex(n)}57`),
      fc.nat(80).map((n) => `1560${hex(n)}57`),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => `7f${value.toString(16).padStart(64, "0")}`),
      fc.constant("60006000600060006000305af1"),
    );
    const gas = fc.oneof(fc.nat(400), fc.nat(6000), fc.constant(60_000));
    const items = fc.nat(12).map((n) => Array.from({ length: n }, (_, i) => `60${hex(i * 7)}`).join(""));
    fc.assert(
      fc.property(
        items,
        fc.array(op, { minLength: 1, maxLength: 40 }),
        gas,
        fc.boolean(),
        (start, ops, limit, isStatic) =>
          assertSame(`${start}${ops.join("")}`, { gas: limit, isStatic, cells: { 0: 7n, 7: 2n ** 200n } }),
      ),
      { numRuns: runs(1500) },
    );
  });
});
