import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withFolder } from "@cambium/test-utils/node-cli";

const REPOSITORY = new URL("../../", import.meta.url);
const BUNDLE = new URL("packages/cli/bundle/", REPOSITORY);

describe("bundle", () => {
  it("contains every module that starts as a thread or process of its own", () => {
    const sources = readdirSync(new URL("packages/", REPOSITORY)).flatMap((name) => modulesOf(`packages/${name}/src/`));
    const entries = sources.flatMap((source) => [...source.matchAll(/threadEntry\(\s*"\.\/([^"]+)"/g)]);
    assert.ok(entries.length > 5);
    const files = readdirSync(BUNDLE);
    for (const [, name] of entries) assert.ok(files.includes(name!), name);
  });

  it("keeps the names of error classes, which logs show", () => {
    const texts = readdirSync(BUNDLE).map((name) => readFileSync(new URL(name, BUNDLE), "utf8"));
    const sources = readdirSync(new URL("packages/", REPOSITORY)).flatMap((name) => modulesOf(`packages/${name}/src/`));
    const names = sources.flatMap((source) => [...source.matchAll(/^export class (\w+) extends CambiumError\b/gm)]);
    assert.ok(names.length > 20);
    for (const [, name] of names)
      assert.ok(
        texts.some((text) => text.includes(`var ${name} = class extends `)),
        name,
      );
  });

  it("contains no package that requires files beside itself", () => {
    for (const name of readdirSync(BUNDLE).filter((file) => file.endsWith(".js"))) {
      const text = readFileSync(new URL(name, BUNDLE), "utf8");
      assert.doesNotMatch(text, /\breq(?:uire)?\d*\("\.{1,2}\//, name);
    }
  });

  it("has the same bytes whenever it is written", async function () {
    this.timeout(120_000);
    await withFolder(async (folder) => {
      const [first, second] = [await written(join(folder, "a")), await written(join(folder, "b"))];
      assert.ok(first.has("program.js"));
      assert.deepEqual(second, first);
    });
  });
});

function modulesOf(folder: string): string[] {
  const at = new URL(folder, REPOSITORY);
  const names = readdirSync(at, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.map((name) => readFileSync(new URL(name, at), "utf8"));
}

async function written(folder: string): Promise<Map<string, string>> {
  const cwd = fileURLToPath(REPOSITORY);
  await promisify(execFile)(process.execPath, ["--import=tsx", "scripts/bundle.ts", folder], { cwd });
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
