import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withFolder } from "@cambium/test-utils/node-cli";

const REPOSITORY = new URL("../../", import.meta.url);
const BUNDLE = new URL("packages/cli/bundle/", REPOSITORY);
const LAUNCHER = fileURLToPath(new URL("bin/node-cli", REPOSITORY));

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
        texts.some((text) => text.includes(`var ${name}=class extends `)),
        name,
      );
  });

  it("begins with the command line alone: commands load when they are named", () => {
    const all = [...loadedWith("program-entry.js")].map((name) => readFileSync(new URL(name, BUNDLE), "utf8")).join("");
    assert.ok(all.includes("showGlobalOptions"));
    assert.equal(/\b(?:DATA_FLAGS|ChainError|DatabaseError|jetstream|libp2p)\b/.exec(all)?.[0], undefined);
  });

  it("loads libp2p with the peers, not before", () => {
    const first = readdirSync(BUNDLE).filter((name) => /^(?:start|reload)-[A-Z0-9]+\.js$/.test(name));
    assert.equal(first.length, 2);
    for (const name of first.flatMap((entry) => [...loadedWith(entry)]))
      assert.ok(!readFileSync(new URL(name, BUNDLE), "utf8").includes("createLibp2p("), name);
  });

  it("contains no package that requires files beside itself", () => {
    const files = new Set(readdirSync(BUNDLE));
    for (const name of [...files].filter((file) => file.endsWith(".js"))) {
      const text = readFileSync(new URL(name, BUNDLE), "utf8");
      for (const [, path] of text.matchAll(/\breq(?:uire)?\d*\("(\.{1,2}\/[^"]*)/g)) {
        assert.ok(files.has(path!.replace(/^\.\//, "")), `${name} requires ${path}`);
      }
    }
  });

  it("keeps compiled code in the user's folder, and needs none", async () => {
    await withFolder(async (home) => {
      const version = async (own: { HOME: string } = { HOME: home }) => {
        const env = { ...process.env, ...own };
        const { stdout } = await promisify(execFile)(process.execPath, [LAUNCHER, "--version"], { env, cwd: home });
        assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
      };
      const folder = join(home, ".cambium", "compile-cache");
      await version({ HOME: "" });
      assert.deepEqual(readdirSync(home), []);
      await version();
      const [name, ...others] = readdirSync(folder);
      assert.deepEqual([name?.startsWith("program-entry.js-"), others], [true, []]);
      const file = join(folder, name!);
      const { ino } = statSync(file);
      await version();
      assert.equal(statSync(file).ino, ino, "written again");
      writeFileSync(file, "damaged");
      await version();
      assert.notEqual(statSync(file).ino, ino);
      chmodSync(folder, 0);
      await version();
      chmodSync(folder, 0o700);
    });
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

/** A file of the bundle, and those that it requires when it loads. */
function loadedWith(name: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const text = readFileSync(new URL(name, BUNDLE), "utf8");
  const later = /\.then\(\(\)=>__toESM\(require\([^)]*\)/g;
  for (const [, other] of text.replace(later, "").matchAll(/\brequire\("\.\/([\w-]+\.js)"/g))
    loadedWith(other!, loaded);
  return loaded;
}

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
