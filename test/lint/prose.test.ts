import assert from "node:assert/strict";
import { stumblesInCode, stumblesInMarkdown } from "../../scripts/prose.js";

const LONG = "word ".repeat(25).trim();

describe("The lint of prose", () => {
  it("refuses words, openings and long lines of comments, but not of code", () => {
    const lines = [
      "/** Reads anew. */",
      "// Who calls this.",
      ` * ${LONG}`,
      `const text = "${LONG} anew";`,
      "// `anew`",
    ];
    const found = stumblesInCode(lines.join("\n"));
    assert.deepEqual(
      found.map(({ line }) => line),
      [1, 2, 3],
    );
    assert.equal(found[0]!.message, '"anew": write again');
  });

  it("refuses them in the prose of Markdown, but not in its tables and code", () => {
    const lines = [`| ${LONG} |`, "```", `${LONG} anew`, "```", `    ${LONG}`, `# ${LONG}`, `- ${LONG}`, "It goes on."];
    assert.deepEqual(
      stumblesInMarkdown(lines.join("\n")).map(({ line }) => line),
      [7, 8],
    );
  });
});
