import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CliError, explainCliError } from "../src/errors.js";
import { readText, resolveNetwork } from "../src/options.js";

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

describe("a network definition", () => {
  /** The line that refuses a definition. */
  async function refusalOf(content: string): Promise<string> {
    return withFolder(async (folder) => {
      const path = join(folder, "network.json");
      writeFileSync(path, content);
      const error = await resolveNetwork(path).then(undefined, (error: unknown) => error);
      assert(error instanceof CliError);
      return explainCliError(error).replace(path, "FILE");
    });
  }

  it("is refused with its file, and what is wrong with it", async () => {
    assert.equal(await refusalOf('{"extends":"local","nam":"x"}'), "cannot read FILE: nam: no such member");
    assert.match(
      await refusalOf('{"extends":"nowhere"}'),
      /^cannot read FILE: extends: unknown network 'nowhere': expected main, test, dev, local$/,
    );
    assert.match(await refusalOf("{}"), /^cannot read FILE: name: expected a name; chainId: .*; and \d+ more$/);
    assert.match(await refusalOf("extends: local\n"), /^cannot read FILE: expected JSON: Unexpected token '?e[^"]*$/);
  });
});
