import assert from "node:assert/strict";
import { ProgressLine } from "../src/output.js";

/** Returns the text that a terminal of a width shows of a progress. */
function shown(columns: number, text: string, share: number): string {
  let output = "";
  const stream = { isTTY: true, columns, write: (part: string) => (output += part) };
  new ProgressLine(stream as unknown as NodeJS.WriteStream).update(text, share);
  return output;
}

describe("progress on a terminal", () => {
  const LONG = "block 7654321, 1234 blocks/s, 123.4 Mgas/s, 12h 34m 56s left";

  it("has a bar", () => {
    assert.equal(shown(80, "1 block", 0.5), `[${"#".repeat(12)}${"-".repeat(12)}]  50.0 %  1 block`);
  });

  it("keeps the last word of a long text, and shortens the bar for it", () => {
    const line = shown(80, LONG, 0.5);
    assert.match(line, /^\[#+-+\] {2}50\.0 % {2}block .* left$/);
    assert.equal(line.length, 79);
    assert.equal(shown(70, LONG, 0.5).length, 69);
    assert.match(shown(40, LONG, 0.5), /^ {2}50\.0 % {2}block/);
  });
});
