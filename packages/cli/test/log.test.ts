import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { CliError } from "../src/errors.js";
import { parseLogLevels } from "../src/log/log-levels.js";
import { RotatingFile } from "../src/log/rotating-file.js";
import { textLine } from "../src/log/text-line.js";

describe("log levels", () => {
  it("are one for all packages, and exceptions", () => {
    assert.deepEqual(parseLogLevels("warn"), { all: "warn", packages: {} });
    const levels = parseLogLevels("info,p2p=debug, sync=silent");
    assert.deepEqual(levels, { all: "info", packages: { p2p: "debug", sync: "silent" } });
    assert.deepEqual(parseLogLevels("rpc=trace"), { all: "info", packages: { rpc: "trace" } });
  });

  it("name what is unknown", () => {
    const explains = (found: string) => (error: unknown) =>
      error instanceof CliError && JSON.stringify(error.details).includes(`found '${found}'`);
    for (const [text, found] of [
      ["loud", "loud"],
      ["info,network=debug", "network"],
      ["p2p=loud", "loud"],
      ["", ""],
    ] as const) {
      assert.throws(() => parseLogLevels(text), explains(found), text);
    }
  });
});

describe("a text line of the log", () => {
  const time = "2026-01-02T03:04:05.678Z";
  const line = (fields: object) => textLine(`${JSON.stringify({ level: 30, time, ...fields })}\n`);

  it("has time, level, package, message and fields", () => {
    const text = line({ package: "p2p", peer: "16Ui", reason: "too slow", count: 3, msg: "Peer lost" });
    assert.equal(text, '2026-01-02 03:04:05.678Z INFO  p2p    Peer lost peer=16Ui reason="too slow" count=3\n');
    assert.equal(line({ msg: "Node stopped" }), "2026-01-02 03:04:05.678Z INFO  node   Node stopped\n");
  });

  it("leaves out objects, which repeat the message for programs", () => {
    assert.equal(line({ progress: { block: 1 }, hashes: ["a", "b"], msg: "m" }).slice(38), "m hashes=a,b\n");
  });

  it("shows the stack of an error below it", () => {
    const err = { type: "Error", message: "broken", stack: "Error: broken\n    at one\n    at two" };
    assert.deepEqual(line({ err, msg: "m" }).split("\n").slice(1), [
      "    Error: broken",
      "    at one",
      "    at two",
      "",
    ]);
  });

  it("escapes what could control a terminal", () => {
    const text = line({ client: "a\u001b[2Jb\u009b\u202e", msg: "one\ntwo" });
    assert.equal(text.slice(38), "one\\u000atwo client=a\\u001b[2Jb\\u009b\\u202e\n");
  });

  it("has colours on request", () => {
    assert(
      textLine(JSON.stringify({ level: 40, time, msg: "m" }), { isTerminal: true, hasColours: true }).includes(
        "\u001b[33mWARN \u001b[39m",
      ),
    );
  });

  it("has a bar for progress on a terminal", () => {
    const options = { isTerminal: true, hasColours: false };
    const text = (progress: object) =>
      textLine(JSON.stringify({ level: 30, time, progress, msg: "Syncing" }), options).slice(38);
    assert.equal(text({ current: 25, target: 100 }), "[#####---------------] Syncing\n");
    assert.equal(text({ step: "state", done: 3, total: 4 }), "[###############-----] Syncing\n");
    assert.equal(text({ current: 100, target: 100 }), "Syncing\n");
  });

  it("is the text itself if that is no JSON", () => {
    assert.equal(textLine("plain\n"), "plain\n");
  });
});

describe("a log file", () => {
  it("is renamed when it is full, and bounded in number", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "logs", "node.log");
      const options = { path, maxBytes: 100, kept: 2 };
      const lines = Array.from({ length: 20 }, (_, i) => `line ${i}, which has some length\n`);
      const file = new RotatingFile(options);
      for (const line of lines.slice(0, 10)) file.write(line);
      const restarted = new RotatingFile(options);
      for (const line of lines.slice(10)) restarted.write(line);
      const names = readdirSync(join(folder, "logs")).toSorted();
      assert.deepEqual(names, ["node.log", "node.log.1", "node.log.2"]);
      for (const name of names) assert(statSync(join(folder, "logs", name)).size <= 100);
      const kept = names.toReversed().map((name) => readFileSync(join(folder, "logs", name), "utf8"));
      assert(lines.join("").endsWith(kept.join("")));
    });
  });

  it("that cannot be opened is refused", async () => {
    await withFolder(async (folder) => {
      const open = () => new RotatingFile({ path: folder, maxBytes: 100, kept: 1 });
      assert.throws(open, (error) => error instanceof CliError && error.code === "LOG_FILE");
    });
  });
});
