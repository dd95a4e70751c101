import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replicationKeys } from "../src/replication/replication-keys.js";

const [FIRST, SECOND] = ["0a".repeat(32), "FF".repeat(32)];
const key = (byte: number) => new Uint8Array(32).fill(byte);

describe("the key file of replicas", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-key-file-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function file(text: string, mode = 0o600): string {
    const path = join(folder, "key");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  it("has the key that seals, and one that is accepted besides", () => {
    assert.deepEqual(replicationKeys(undefined), []);
    assert.deepEqual(replicationKeys(file(`${FIRST}\n`)), [key(0x0a)]);
    assert.deepEqual(replicationKeys(file(FIRST)), [key(0x0a)]);
    assert.deepEqual(replicationKeys(file(`${SECOND}\r\n\n ${FIRST}\n`)), [key(0xff), key(0x0a)]);
  });

  it("is refused if it has anything else", () => {
    const long = `${FIRST}\n`.repeat(3);
    for (const text of [
      "",
      "\n",
      FIRST.slice(1),
      `${FIRST}0`,
      `0x${FIRST}`,
      "g".repeat(64),
      `${FIRST} ${SECOND}`,
      long,
    ]) {
      assert.throws(() => replicationKeys(file(text)), { code: "KEY_FILE" }, text);
    }
    assert.throws(() => replicationKeys(file("\n".repeat(2_000))), { code: "KEY_FILE" });
  });

  it("is refused if others may read or write it, or the group may write it", function () {
    if (process.platform === "win32") this.skip();
    for (const mode of [0o400, 0o600, 0o640, 0o440]) assert.equal(replicationKeys(file(FIRST, mode)).length, 1);
    for (const mode of [0o644, 0o604, 0o602, 0o601, 0o620, 0o660, 0o666]) {
      assert.throws(() => replicationKeys(file(FIRST, mode)), { code: "KEY_FILE" }, mode.toString(8));
    }
  });

  it("is refused if it is none", () => {
    assert.throws(() => replicationKeys(join(folder, "absent")), { code: "FILE_NOT_FOUND" });
    assert.throws(() => replicationKeys(folder), { code: "FILE_UNREADABLE" });
  });
});
