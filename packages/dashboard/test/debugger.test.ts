import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { encodeAbiParameters, hexToBigInt, keccak256 } from "viem";
import { readArtifacts } from "../src/artifacts/read-artifacts.js";
import { readLayout } from "../src/artifacts/read-layout.js";
import { contractKey, flattened, originOfFailure } from "../web/debugger/frames.js";
import { sourceOf } from "../web/debugger/source-lines.js";
import { namesOfSlots, partOf } from "../web/debugger/storage-names.js";
import type { CallFrame } from "../web/node/types.js";

const BUILD = new URL("../../../test/e2e/dashboard/contracts/workshop.json", import.meta.url);
const [LEDGER, WORKSHOP] = readArtifacts(JSON.parse(readFileSync(BUILD, "utf8")));
const ACCOUNT = 0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826n;

describe("names of storage slots", () => {
  const names = namesOfSlots(WORKSHOP!.layout!, [ACCOUNT, 7n]);
  const word = (digits: string) => `0x${digits.padStart(64, "0")}`;

  it("are those of variables, several of which may share a slot", () => {
    const [owner, open, updated] = names.get(0n)!;
    assert.deepEqual([owner!.name, open!.name, updated!.name], ["owner", "open", "updated"]);
    const packed = word(`0007${"01"}${ACCOUNT.toString(16)}`);
    assert.equal(partOf(packed, owner!), `0x${ACCOUNT.toString(16)}`);
    assert.equal(partOf(packed, open!), "true");
    assert.equal(partOf(packed, updated!), "7");
    const [name] = names.get(1n)!;
    assert.equal(partOf(`0x${"4e6f727468".padEnd(62, "0")}0a`, name!), '"North"');
    assert.match(partOf(word("51"), name!), /^40 bytes, in other slots$/);
  });

  it("are those of mappings and lists", () => {
    const mapping = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [ACCOUNT, 3n]);
    const [paid] = names.get(hexToBigInt(keccak256(mapping)))!;
    assert.equal(paid!.name, `paid[0x${ACCOUNT.toString(16)}]`);
    const [orders] = names.get(2n)!;
    assert.equal(partOf(word("3"), orders!), "length 3");
    const list = hexToBigInt(keccak256(encodeAbiParameters([{ type: "uint256" }], [2n])));
    assert.deepEqual(
      [0n, 1n, 2n, 3n].map((slot) => names.get(list + slot)?.[0]?.name),
      ["orders[0].item", "orders[0].due", "orders[0].parts", "orders[1].item"],
    );
  });

  it("of a layout that refers to itself, or is malformed, are few", () => {
    const members = ["s", "r"].map((label) => ({ label, slot: "0", offset: 0, type: "t" }));
    const t = { label: "S", encoding: "inplace", numberOfBytes: "32", members };
    const mapping = { label: "m", encoding: "mapping", numberOfBytes: "32" };
    const storage = ["t", "u", "m"].map((type) => ({ label: type, slot: "0", offset: 0, type }));
    const bad = [null, { label: 7 }, { label: "x", slot: "y", offset: 0, type: "t" }];
    const layout = readLayout({ storage: [...storage, ...bad], types: { t, m: mapping, u: { label: "u" } } })!;
    assert.equal(layout.storage.length, 3);
    assert.equal(namesOfSlots(layout, [1n]).size, 0);
    for (const other of [undefined, [], { storage: bad }]) assert.equal(readLayout(other), undefined);
  });
});

describe("calls of a transaction", () => {
  const frame = (members: Partial<CallFrame>): CallFrame => ({ type: "CALL", from: "0x01", gas: "0x0", ...members });
  const root = frame({
    gasUsed: "0x64",
    error: "execution reverted",
    output: "0x12",
    calls: [
      frame({ gasUsed: "0xa", error: "out of gas", output: "0x" }),
      frame({ gasUsed: "0x14", error: "execution reverted", output: "0x12", calls: [frame({ gasUsed: "0x5" })] }),
    ],
  });

  it("stand side by side by their gas", () => {
    const rows = flattened(root, 10).map(({ depth, start }) => [depth, start]);
    assert.deepEqual(rows, [
      [0, 0],
      [1, 0],
      [1, 10],
      [2, 10],
    ]);
    assert.equal(flattened(root, 2).length, 2);
  });

  it("know the contracts that a failed transaction has undone by their creation code", () => {
    const made = frame({ type: "CREATE", to: "0x0a", input: "0x11" });
    const called = frame({ to: "0x0a", error: "execution reverted" });
    const failed = frame({ type: "CREATE", input: "0x22", error: "execution reverted", calls: [made, called] });
    const keys = (around: CallFrame) => [failed, made, called].map((one) => contractKey(one, around));
    assert.deepEqual(keys(failed), ["0x22", "0x11", "0x11"]);
    assert.deepEqual(keys(frame({ calls: [failed] })), ["0x22", "0x0a", "0x0a"]);
    assert.equal(contractKey(frame({ to: "0x0b" }), failed), "0x0b");
  });

  it("tell where a failure began", () => {
    assert.deepEqual(originOfFailure(root), { frame: root.calls![1], depth: 1 });
    // A caller that fails by itself has another reason.
    const own = frame({ error: "execution reverted", output: "0x34", calls: root.calls! });
    assert.deepEqual(originOfFailure(own), { frame: own, depth: 0 });
    assert.equal(originOfFailure(frame({})), undefined);
  });
});

describe("the source of an instruction", () => {
  it("is the line that the source map says", () => {
    const reverts = LEDGER!.runtime.lastIndexOf("fd") / 2;
    const places = Array.from({ length: reverts }, (_, pc) => sourceOf(LEDGER!, pc));
    const line = places.find((place) => place?.lines[place.line - place.first]?.includes("revert TooMuch"));
    assert.equal(line?.path, "contracts/Workshop.sol");
    assert.equal(line.lines.length, 7);
    assert.equal(sourceOf({ ...LEDGER!, sources: {} }, 5), undefined);
    const { sourceMap: _, ...unmapped } = LEDGER!;
    assert.equal(sourceOf(unmapped, 5), undefined);
  });

  it("is that of the creation code while a constructor runs", () => {
    const end = WORKSHOP!.creation.indexOf(WORKSHOP!.runtime.slice(0, 64)) / 2;
    const linesOf = (isCreation: boolean) =>
      Array.from({ length: end }, (_, pc) => sourceOf(WORKSHOP!, pc, isCreation)).map(
        (place) => place?.lines[place.line - place.first] ?? "",
      );
    assert.ok(linesOf(true).some((line) => line.includes("revert NoLimit(name_)")));
    assert.ok(!linesOf(false).some((line) => line.includes("revert NoLimit(name_)")));
    const { creationSourceMap: _, ...unmapped } = WORKSHOP!;
    assert.equal(sourceOf(unmapped, 5, true), undefined);
  });
});
