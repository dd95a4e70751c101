import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CliError } from "../src/errors.js";
import { readText } from "../src/options.js";

describe("files that options name", () => {
  it("are read as a whole", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "file");
      const text = "ä".repeat(3 * 2 ** 20);
      writeFileSync(path, text);
      assert.equal(readText(path), text);
    });
  });

  it("have an end, and are there", function () {
    if (process.platform === "win32") this.skip();
    const fails = (code: string, reason: RegExp) => (error: unknown) =>
      error instanceof CliError && error.code === code && reason.test(error.message);
    assert.throws(() => readText("/dev/zero"), fails("FILE_UNREADABLE", /it is larger than 268435456 bytes/));
    assert.throws(() => readText("/"), fails("FILE_UNREADABLE", /it is a directory/));
    assert.throws(() => readText("/dev/none"), fails("FILE_NOT_FOUND", /none/));
  });
});
