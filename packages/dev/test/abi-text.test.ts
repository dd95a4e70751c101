import assert from "node:assert/strict";
import { concatBytes } from "@cambium/primitives";
import { AbiCoder, getBytes } from "ethers";
import { parseTypes, printable, valueTexts } from "../src/console/abi-text.js";

const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** The texts of values that ethers has encoded. */
function texts(types: readonly string[], values: readonly unknown[], form: "whole" | "short" = "whole") {
  const data = getBytes(AbiCoder.defaultAbiCoder().encode(types, values));
  return valueTexts(parseTypes(types.join(","))!, data, form);
}

describe("values as text", () => {
  it("are those that a library has encoded", () => {
    assert.deepEqual(
      texts(
        ["uint256", "int8", "bool", "address", "bytes4", "bytes", "string"],
        [2n ** 256n - 1n, -5, true, ADDRESS, "0x01020304", "0xabcd", 'a "b"\n'],
      ),
      [String(2n ** 256n - 1n), "-5", "true", ADDRESS, "0x01020304", "0xabcd", '"a "b"\\x0a"'],
    );
    assert.deepEqual(
      texts(
        ["(uint256,(address,bytes)[])", "uint8[2][]", "string[2]", "uint256"],
        [
          [7, [[ADDRESS, "0x"]]],
          [
            [1, 2],
            [3, 4],
          ],
          ["a", "b"],
          9,
        ],
      ),
      [`(7, [(${ADDRESS}, 0x)])`, "[[1, 2], [3, 4]]", '["a", "b"]', "9"],
    );
  });

  it("are shortened to fit a line", () => {
    assert.deepEqual(
      texts(
        ["address", "bytes32", "bytes4", "string", "uint256[]"],
        [ADDRESS, `0x${"12".repeat(32)}`, "0x01020304", "x".repeat(50), [1, 2, 3, 4, 5]],
        "short",
      ),
      ["0xf39F…", "0x1212…", "0x01020304", `"${"x".repeat(32)}…"`, "[1, 2, 3, …]"],
    );
  });

  it("are undefined for types that do not exist, and for malformed data", () => {
    for (const text of ["uint7", "uint264", "bytes33", "tuple", "(uint256", "uint256)", "uint256,", "address[x]"]) {
      assert.equal(parseTypes(text), undefined, text);
    }
    const word = (value: number) => new Uint8Array(32).fill(value, 31);
    const string = parseTypes("string")!;
    for (const data of [
      new Uint8Array(31),
      word(0xff),
      concatBytes(word(32), word(1)),
      new Uint8Array(32).fill(0xff),
    ]) {
      assert.equal(valueTexts(string, data, "whole"), undefined);
    }
    // Elements that share their bytes describe more data than exist.
    const outer = parseTypes("uint256[][][][]")!;
    const shared = concatBytes(word(32), word(3), word(0), word(0), word(0), ...new Array(60).fill(word(0)));
    assert((valueTexts(outer, shared, "whole") ?? [""])[0]!.length < 10_000);
  });

  it("of contracts do not control the terminal", () => {
    assert.equal(printable("\x1b[2Jgone\x9b\x7f"), "\\x1b[2Jgone\\x9b\\x7f");
    assert.deepEqual(texts(["string"], ["\x1b[31m"]), ['"\\x1b[31m"']);
  });
});
