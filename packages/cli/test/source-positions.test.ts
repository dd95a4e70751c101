import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withSourcePositions } from "../src/source-positions.js";

const BUNDLE = new URL("../bundle/", import.meta.url);

describe("source positions", () => {
  it("replace those in the bundle by those in the source, in a line of the log too", () => {
    const file = new URL("program-entry.js", BUNDLE);
    const lines = readFileSync(file, "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes("function nameSource("));
    const column = lines[line]!.indexOf("nameSource");
    const source = fileURLToPath(new URL("../src/program.ts", import.meta.url));
    const expected = readFileSync(source, "utf8").split("\n");
    const sourceLine = expected.findIndex((text) => text.includes("function nameSource("));
    const inSource = `${source}:${sourceLine + 1}:${expected[sourceLine]!.indexOf("nameSource") + 1}`;
    const trace = (position: string) =>
      JSON.stringify({ stack: `Error: x\n    at nameSource (${position})\n    at f` });
    assert.equal(withSourcePositions(trace(`${file}:${line + 1}:${column + 1}`)), trace(inSource));
  });

  it("stay as they are without a source map, and outside of the bundle", () => {
    for (const text of ["file:///nowhere/cli/bundle/no.js:1:2", `${BUNDLE}program.js:1`, "at f (node:fs:1:2)"]) {
      assert.equal(withSourcePositions(text), text);
    }
  });
});
