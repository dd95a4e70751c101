import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { vectorPath } from "@cambium/test-utils/vectors";

const PAGE = readFileSync("docs/specification/11-trap-heights.md", "utf8");

interface Story {
  height: number;
  rule: string;
  spec: string;
  figures: unknown[];
}

describe("trap heights", () => {
  it("are listed in the specification, with rule, chapter and source", () => {
    const lines = readFileSync(vectorPath("traps/traps.jsonl"), "utf8").trim().split("\n");
    const rows = PAGE.split("\n").filter((line) => line.startsWith("|"));
    for (const { height, rule, spec, figures } of lines.map((line) => JSON.parse(line) as Story)) {
      const row = rows.find((text) => text.includes(`| ${rule} |`)) ?? assert.fail(`no row for: ${rule}`);
      assert.ok(row.startsWith(`| ${height.toLocaleString("en").replaceAll(",", " ")}`), row);
      assert.ok(row.includes(`[${spec}]`), row);
      assert.ok(row.endsWith(figures.length === 0 ? "| recorded |" : "| **figure** |"), row);
    }
  });
});
