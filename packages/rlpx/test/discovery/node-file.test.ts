import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFile } from "../../src/discovery/node-file.js";
import { identityOf } from "./world.js";

describe("node file", () => {
  let folder: string;
  let path: string;
  const node = { id: identityOf("stored").nodeId, ip: "5.5.5.5", udpPort: 5050, tcpPort: 5051 };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "node-file-"));
    path = join(folder, "peers", "nodes.json");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is empty before anything was stored", () => assert.deepEqual(nodeFile(path).read(), []));

  it("returns what was stored last, and leaves no partial file", () => {
    const file = nodeFile(path);
    file.write([{ ...node, ip: "2001:db8::1" }, node]);
    file.write([node]);
    assert.deepEqual(nodeFile(path).read(), [node]);
    assert.deepEqual(readdirSync(join(folder, "peers")), ["nodes.json"]);
  });

  const stored = { id: "ab".repeat(64), ip: "5.5.5.5", udpPort: 1, tcpPort: 1 };
  for (const content of [
    "",
    "{",
    "null",
    "[]",
    '{"version":1}',
    JSON.stringify({ version: 2, nodes: [] }),
    ...[{ ip: "host" }, { id: "ab" }, { id: 1 }, { udpPort: 0 }, { tcpPort: 65536 }, { udpPort: "1" }].map((change) =>
      JSON.stringify({ version: 1, nodes: [{ ...stored, ...change }] }),
    ),
  ]) {
    it(`refuses ${content.replace(stored.id, "<id>") || "an empty file"}`, () => {
      const damaged = join(folder, "damaged.json");
      writeFileSync(damaged, content);
      assert.throws(() => nodeFile(damaged).read());
    });
  }
});
