import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";

const START = resolve(import.meta.dirname, "../../bin/start.js");
const MESSAGE = "Building, once, about a minute …\n";
const SOURCES = ["packages/cli/src/a/b.ts", "packages/cli/package.json", "scripts/bundle.ts"];
const BUILT = "packages/cli/bundle/program.js";
/** A build that takes no time, and a program that prints its parameters. */
const MANIFEST = { type: "module", scripts: { build: `node -e "fs.writeFileSync('${BUILT}', '')"` } };
const PROGRAM = 'process.stdout.write(process.argv.slice(2).join(" "));';

/** Writes a file that was changed some seconds ago. */
function write(path: string, age: number, content = ""): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  setAge(path, age);
}

function setAge(path: string, age: number): void {
  const time = Date.now() / 1000 - age;
  utimesSync(path, time, time);
}

describe("npm start", () => {
  it("builds if a source is newer than the build, says so, and never otherwise", async () => {
    await withFolder(async (folder) => {
      write(join(folder, "package.json"), 0, JSON.stringify(MANIFEST));
      write(join(folder, "bin/node-cli"), 0, PROGRAM);
      copyFileSync(START, join(folder, "bin/start.js"));
      for (const path of SOURCES) write(join(folder, path), 1_000);
      mkdirSync(join(folder, dirname(BUILT)));
      for (const path of ["packages/cli/src", "packages/cli/src/a", "scripts"]) setAge(join(folder, path), 1_000);
      /** Returns the output before the program runs. */
      const start = () => {
        const options = { cwd: folder, encoding: "utf8" } as const;
        const { status, stdout, stderr } = spawnSync(process.execPath, ["bin/start.js", "--quiet"], options);
        assert.deepEqual([status, stdout], [0, "dev --quiet"], stderr);
        return stderr;
      };
      assert.equal(start(), MESSAGE);
      assert.equal(start(), "");
      for (const path of SOURCES) {
        setAge(join(folder, path), -10);
        assert.equal(start(), MESSAGE, path);
        setAge(join(folder, path), 1_000);
        assert.equal(start(), "", path);
      }
      setAge(join(folder, BUILT), 500);
      rmSync(join(folder, "packages/cli/src/a/b.ts"));
      assert.equal(start(), MESSAGE);
    });
  });

  it("ends with a build that fails", async () => {
    await withFolder(async (folder) => {
      write(join(folder, "package.json"), 0, JSON.stringify({ type: "module", scripts: { build: "exit 3" } }));
      write(join(folder, "bin/node-cli"), 0, PROGRAM);
      copyFileSync(START, join(folder, "bin/start.js"));
      write(join(folder, "packages/cli/src/a.ts"), 0);
      const { status, stdout } = spawnSync(process.execPath, ["bin/start.js"], { cwd: folder, encoding: "utf8" });
      assert.deepEqual([status, stdout], [3, ""]);
    });
  });
});
