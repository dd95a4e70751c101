import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@cambium/database";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CliError, explainCliError } from "../src/errors.js";
import { RotatingFile } from "../src/log/rotating-file.js";
import { makeDataFolder } from "../src/private-files.js";

describe("folders", () => {
  it("are created with those above them, and stay empty", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "a", "b", "c");
      makeFolder(path, 0o700);
      assert.equal(statSync(path).mode & 0o777, 0o700);
      makeFolder(path);
      makeDataFolder(path);
      assert.deepEqual(readdirSync(path), []);
    });
  });

  it("are refused where a file is in the way, in one line with a remedy", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "file");
      writeFileSync(file, "");
      const explains = (text: RegExp) => (error: unknown) =>
        error instanceof CliError && text.test(explainCliError(error));
      assert.throws(
        () => makeDataFolder(file),
        explains(/^cannot write .*file: it, or a part of its path, is a file; choose another path$/),
      );
      assert.throws(() => makeDataFolder(join(file, "x")), explains(/it, or a part of its path, is a file; choose/));
      const log = { path: join(file, "log"), maxBytes: 1, kept: 1 };
      assert.throws(() => new RotatingFile(log), explains(/it, or a part of its path, is a file; .*--log\.file/));
    });
  });

  it("are refused below /proc, where Node.js would try for ever", function () {
    if (!existsSync("/proc/self")) this.skip();
    const isRefused = (error: unknown) =>
      error instanceof CliError && /: no folder can be created there; choose/.test(explainCliError(error));
    assert.throws(() => makeDataFolder("/proc/x"), isRefused);
    assert.throws(() => makeDataFolder("/proc"), isRefused);
    assert.throws(() => new RotatingFile({ path: "/proc/x/y", maxBytes: 1, kept: 1 }), isRefused);
  });
});
