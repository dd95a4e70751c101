import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const BIOME = resolve("node_modules/.bin/biome");

describe("The lint rule about spread arguments", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-lint-"));
    for (const path of ["packages/chain/src", "test"]) mkdirSync(join(folder, path), { recursive: true });
    const plugins = [resolve("scripts/no-spread-arguments.grit")];
    writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins }));
  });

  after(() => rmSync(folder, { recursive: true }));

  /** Whether the rule refuses an expression over two arrays in a source file. */
  function isRefused(expression: string, path = "packages/chain/src/sample.ts"): boolean {
    writeFileSync(join(folder, path), `export const sample = (a: number[], b: number[]) => ${expression};\n`);
    const { stdout, stderr } = spawnSync(BIOME, ["lint", path], { cwd: folder, encoding: "utf8" });
    return `${stdout}${stderr}`.includes("An array is spread into the arguments of a call");
  }

  it("refuses an array, wherever it stands among the arguments", () => {
    assert.ok(isRefused("a.push(...b)"));
    assert.ok(isRefused("Math.max(0, ...a)"));
    assert.ok(isRefused("new Array(...a.map((x) => x + 1), 1)"));
  });

  it("accepts array literals, rest parameters that are named rest, and tests", () => {
    assert.ok(!isRefused("a.concat([0, ...b])"));
    assert.ok(!isRefused("a.push(...[1, 2], b.length)"));
    assert.ok(!isRefused("((...rest: [number, number]) => Math.max(...rest))(a[0]!, b[0]!)"));
    assert.ok(!isRefused("a.push(...b)", "test/sample.ts"));
  });
});
