import assert from "node:assert/strict";
import { type FileImport, folderCycles } from "../../scripts/folder-cycles.js";

const SRC = "packages/chain/src";

/** Imports between files of a package, each written `file target`. */
function imports(...pairs: string[]): FileImport[] {
  return pairs.map((pair) => {
    const [file, target] = pair.split(" ") as [string, string];
    return { file: `${SRC}/${file}`, target: `${SRC}/${target}` };
  });
}

describe("The lint of folders", () => {
  it("reports folders that import each other, once", () => {
    assert.deepEqual(folderCycles(imports("state/a.ts store/b.js", "store/c.ts state/d.js", "store/e.ts state/a.js")), [
      `${SRC}: folders import each other: state/a.ts imports store/b.js, store/c.ts imports state/d.js`,
    ]);
  });

  it("reports a cycle through a third folder, and one inside a folder", () => {
    const found = folderCycles(
      imports("a/x.ts b/x.js", "b/x.ts c/x.js", "c/x.ts a/x.js", "a/p/x.ts a/q/x.js", "a/q/y.ts a/p/y.js"),
    );
    assert.deepEqual(found, [
      `${SRC}: folders import each other: a/x.ts imports b/x.js, b/x.ts imports c/x.js, c/x.ts imports a/x.js`,
      `${SRC}/a: folders import each other: p/x.ts imports q/x.js, q/y.ts imports p/y.js`,
    ]);
  });

  it("accepts imports in one direction, of a folder's own files, and of files beside the folders", () => {
    assert.deepEqual(
      folderCycles(imports("a/x.ts b/x.js", "a/x.ts a/y.js", "a/y.ts a/p/x.js", "a/p/x.ts a/y.js", "a/x.ts errors.js")),
      [],
    );
  });
});
