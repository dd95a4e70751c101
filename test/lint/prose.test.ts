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

  it("refuses clauses without a head at the beginning of a comment, but not of its other lines", () => {
    for (const word of ["Of", "As", "Who", "Which", "That", "What"]) {
      const openings = [`/** ${word} it is. */`, `// ${word} it is.`, "code();", "/**", ` * ${word} it is.`, " */"];
      assert.deepEqual(
        stumblesInCode(openings.join("\n")).map(({ line }) => line),
        [1, 2, 5],
        word,
      );
      const others = ["/**", " * Reads.", ` * ${word} it is.`, " */", "// Reads", `// ${word} it is.`];
      assert.deepEqual(stumblesInCode(others.join("\n")), [], word);
    }
    assert.deepEqual(stumblesInCode("/** Reads. */\n// Whether, Whatever, Office, Asks\n// Whether it is."), []);
    assert.equal(stumblesInCode("// What it is.")[0]!.message, '"What": write a verb or a noun');
  });

  it("refuses words and long lines in the prose of Markdown, but not in its tables and code", () => {
    const lines = [`| ${LONG} |`, "```", `${LONG} anew`, "```", `    ${LONG}`, `# ${LONG}`, `- ${LONG}`, "It goes on."];
    assert.deepEqual(
      stumblesInMarkdown(lines.join("\n")).map(({ line }) => line),
      [7, 8],
    );
  });
});
