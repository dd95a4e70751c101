import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exportedNames } from "../../scripts/public-names.js";

const PACKAGES = resolve("packages");
/** Folder for examples. In `node_modules` they find the packages by name, and neither lint nor Git sees them. */
const FOLDER = resolve("node_modules/.cache");

const EXAMPLE = /^```ts\n(.*?)^```$/gms;
/** The names at the beginning of a list item, as in "- `Chain`, `openChain`: …". */
const LISTED = /^- ((?:`\w+`(?:, )?)+): /gm;
/** Packages that offer no interface: the program and the helpers of the tests. */
const WITHOUT_EXAMPLE = ["cli", "test-utils"];

describe("the README of a package", () => {
  const { TMPDIR } = process.env;
  let folder: string;

  before(() => {
    mkdirSync(FOLDER, { recursive: true });
    folder = mkdtempSync(join(FOLDER, "examples-"));
    // Examples leave their temporary folders.
    process.env.TMPDIR = folder;
  });

  after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true });
  });

  for (const name of readdirSync(PACKAGES)) {
    it(`of ${name} lists exported names, and its examples run`, async () => {
      const text = readFileSync(join(PACKAGES, name, "README.md"), "utf8");
      const index = join(PACKAGES, name, "src/index.ts");
      const exported = existsSync(index) ? exportedNames(index)! : [];
      const listed = [...text.matchAll(LISTED)].flatMap(([, names]) => [...names!.matchAll(/\w+/g)].map(String));
      assert.deepEqual(
        listed.filter((one) => !exported.includes(one)),
        [],
      );
      const examples = [...text.matchAll(EXAMPLE)].map(([, code]) => code!);
      const isExpected = !WITHOUT_EXAMPLE.includes(name);
      assert.deepEqual([listed.length > 0, examples.length > 0], [isExpected, isExpected]);
      for (const [count, example] of examples.entries()) {
        const file = join(folder, `${name}-${count}.mts`);
        writeFileSync(file, example);
        await import(pathToFileURL(file).href);
      }
    });
  }
});
