import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes, keccak256, toHex, utf8 } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { AbiFiles } from "../src/console/abi-files.js";
import { KnownSignatures } from "../src/console/known-signatures.js";

const CALLS = {
  name: "calls",
  type: "tuple[]",
  components: [
    { name: "to", type: "address" },
    { name: "data", type: "bytes" },
  ],
};
const ORDER = { name: "order", type: "tuple", components: [{ name: "id", type: "uint256" }, CALLS] };
const ID = { name: "id", type: "uint256" };
const ABI = [
  { type: "constructor", inputs: [] },
  { type: "function", name: "place", inputs: [ORDER, { name: "limits", type: "uint256[2]" }], outputs: [] },
  { type: "function", name: "settle", inputs: [ID], outputs: [] },
  { type: "error", name: "Expired", inputs: [ID, { name: "by", type: "address" }] },
  { type: "error", name: "Refused", inputs: [ORDER] },
  { type: "event", name: "Placed", inputs: [ID] },
];
const LATE = [{ type: "function", name: "late", inputs: [ID] }];

const write = (path: string, content: unknown) => writeFileSync(path, JSON.stringify(content));

/** Returns call data, or the data of an error: the selector of a signature and some words. */
function data(signature: string, ...words: number[]): Uint8Array {
  const selector = keccak256(utf8(signature)).subarray(0, 4);
  return concatBytes(selector, ...words.map((word) => new Uint8Array(32).fill(word, 31)));
}

describe("ABIs in files", () => {
  it("name functions and errors of artifacts in folders, also such that are written later", () =>
    withFolder(async (folder) => {
      const out = join(folder, "out", "Market.sol");
      mkdirSync(join(folder, "out", "build-info"), { recursive: true });
      mkdirSync(out);
      write(join(folder, "out", "build-info", "whole.json"), { abi: LATE });
      writeFileSync(join(out, "half.json"), '{"abi": [');
      for (const [i, content] of [null, 7, {}, { abi: 1 }, [null, { type: "function" }]].entries()) {
        write(join(out, `other-${i}.json`), content);
      }
      write(join(out, "Market.json"), { abi: ABI, bytecode: "0x" });
      let now = 0;
      const names = new KnownSignatures(new AbiFiles([join(folder, "out")], () => now));
      const place = "place((uint256,(address,bytes)[]),uint256[2])";
      assert.equal(names.functionName(data(place, 1)), place);
      assert.equal(names.functionName(data("settle(uint256)", 1)), "settle(uint256)");
      assert.match(names.revertText(data("Expired(uint256,address)", 7, 1)), /^Expired\(7, 0x0{39}1\)$/);
      const refused = data("Refused((uint256,(address,bytes)[]))", 32);
      assert.equal(names.revertText(refused), `Refused((uint256,(address,bytes)[])) 0x${toHex(refused)}`);
      assert.match(names.revertText(data("OwnableInvalidOwner(address)", 1)), /^OwnableInvalidOwner\(0x/);

      const late = data("late(uint256)", 1);
      assert.match(names.functionName(late)!, /^0x/);
      write(join(out, "Late.json"), LATE);
      assert.match(names.functionName(late)!, /^0x/, "not read at once");
      now = 5000;
      assert.equal(names.functionName(late), "late(uint256)");
    }));

  it("must exist, and contain an ABI if they are named", () =>
    withFolder(async (folder) => {
      const path = join(folder, "none.json");
      assert.throws(() => new AbiFiles([path]), { code: "ABI_FILE", message: /none\.json: there is no such file/ });
      write(path, { abi: "none" });
      assert.throws(() => new AbiFiles([path]), { code: "ABI_FILE", message: /none\.json: expected an ABI/ });
      write(path, ABI);
      const names = new KnownSignatures(new AbiFiles([path]));
      assert.equal(names.functionName(data("settle(uint256)")), "settle(uint256)");
    }));
});
