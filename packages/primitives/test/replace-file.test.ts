import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../src/index.js";

describe("replaced files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-replaced-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("have the new content and mode", () => {
    const path = join(folder, "file");
    replaceFile(path, "former");
    replaceFile(path, Uint8Array.of(49), { mode: 0o600, flush: true, partial: join(folder, "other") });
    assert.equal(readFileSync(path, "utf8"), "1");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ["file"]);
  });

  it("leave no temporary file after a failure", () => {
    const path = join(folder, "taken");
    mkdirSync(path);
    assert.throws(() => replaceFile(path, "content"), { code: /EISDIR|EEXIST|EPERM/ });
    assert.throws(() => replaceFile(join(folder, "missing", "file"), "content"), { code: "ENOENT" });
    assert.deepEqual(readdirSync(folder), ["taken"]);
  });
});
