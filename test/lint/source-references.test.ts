import assert from "node:assert/strict";
import { brokenReferences } from "../../scripts/source-references.js";

const FILES: Readonly<Record<string, string>> = {
  "packages/chain/src/faults.ts": "export class BlockError {}",
  "packages/chain/src/rules/gas.ts": "export const gasRule = 1;",
  "packages/chain/test/faults.test.ts": "",
};
const tree = { paths: Object.keys(FILES), read: (path: string) => FILES[path]! };

describe("the lint of references to the sources", () => {
  const messages = (text: string) => brokenReferences(text, tree).map(({ message }) => message);

  it("accepts files, folders, tests and names that exist", () => {
    const places = ["packages/chain/src/faults.ts", "chain/src/rules", "rules/gas.ts", "packages/chain/test/faults"];
    for (const place of places) assert.deepEqual(messages(`See \`${place}\`.`), []);
    assert.deepEqual(messages("`chain/src/rules` (`gasRule`), and `npm test`, `a/b`, `packages/<name>/src`"), []);
  });

  it("reports a place that does not exist", () => {
    for (const place of ["packages/chain/src/fault.ts", "chain/src/rule", "as.ts", "test/absent"]) {
      assert.deepEqual(messages(`See \`${place}\` (\`BlockError\`).`), [`${place}: no such file`]);
    }
  });

  it("reports a name that is not in its file, also on the next line", () => {
    const text = "A code of `packages/chain/src/faults.ts`\n   (`BlockError`, `Block`, `gasRule`).";
    const expected = ["Block", "gasRule"].map((name) => `packages/chain/src/faults.ts does not contain ${name}`);
    assert.deepEqual(messages(text), expected);
  });
});
