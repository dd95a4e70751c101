import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { BRIDGE_ADDRESS } from "@cambium/config";
import { abiFunction, fromHex, keccak256, publicKeyToAddress, secp256k1, toData, utf8 } from "@cambium/primitives";
import { ConformanceError, runConformance, StoryWriter } from "../src/index.js";
import { readLines } from "../src/lines.js";
import type { StorySigner } from "../src/stories/story-writer.js";

type Json = ReturnType<typeof JSON.parse>;

const GET_FEDERATION_ADDRESS = fromHex(abiFunction("getFederationAddress", [], ["string"]).selector);
const GET_MINIMUM_PEG_IN = fromHex(abiFunction("getMinimumLockTxValue", [], ["int256"]).selector);
const PATCHED_CELL = new Uint8Array(32).fill(7);

function signer(name: string): StorySigner {
  const privateKey = keccak256(utf8(name));
  return { privateKey, address: publicKeyToAddress(secp256k1.publicKey(privateKey)) };
}

/** Three blocks with transfers, calls of the bridge, a refused transaction, an alias, a patch and heights left out. */
function writeStory(name: string): string {
  const [user, stranger] = [signer("user1"), signer("user2")];
  const rich = { nonce: "0x0", balance: "0xde0b6b3a7640000" };
  const acting = fromHex("ac".repeat(20));
  const pre = {
    [toData(BRIDGE_ADDRESS)]: { nonce: "0x0", balance: "0x115eec47f6cf7e35000000", contract: true },
    [toData(user.address)]: rich,
    [toData(acting)]: rich,
  };
  const story = new StoryWriter({ name, network: "regtest", pre, aliases: [[stranger, acting]] }, 1000);
  story.send(user, { to: BRIDGE_ADDRESS, data: GET_FEDERATION_ADDRESS });
  story.send(user, { to: acting, value: 5n });
  story.mine();
  story.send(stranger, { to: user.address, value: 7n });
  story.send(signer("user3"), { to: user.address, value: 7n });
  story.mine({ skip: 500, patches: [[PATCHED_CELL, fromHex("00c0ffee")]] });
  story.send(user, { to: BRIDGE_ADDRESS, data: GET_MINIMUM_PEG_IN });
  story.mine({ patches: [[PATCHED_CELL, null]] });
  return story.line();
}

describe("runner of bridge stories", () => {
  let folder: string;
  let line: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "stories-"));
    line = writeStory("first");
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(content: string | Uint8Array, name = "some.jsonl") {
    const path = join(folder, name);
    writeFileSync(path, content);
    const { reports, ignored } = await runConformance([path]);
    rmSync(path);
    return { passed: reports[0]?.passed, failures: reports[0]?.failures ?? [], suite: reports[0]?.suite, ignored };
  }

  async function runChanged(change: (story: Json) => void) {
    const story = JSON.parse(line);
    change(story);
    return run(`${JSON.stringify(story)}\n${line}\n`);
  }

  it("recognises a story by its content, plain or gzipped, and runs every block", async () => {
    const two = `${line}\n\n${writeStory("second")}`;
    const files: [string, string | Uint8Array][] = [
      ["a.jsonl", two],
      ["a.cases", two],
      ["a.jsonl.gz", gzipSync(two)],
      ["a.cases.gz", gzipSync(two)],
    ];
    for (const [name, content] of files) {
      assert.deepEqual(await run(content, name), { passed: 6, failures: [], suite: "stories", ignored: [] });
    }
  });

  const CORRUPTIONS: [what: string, change: (story: Json) => void, place: string, reason: RegExp][] = [
    ["preRoot", (story) => (story.preRoot = story.blocks[0].postRoot), "first/pre", /^preRoot is 0x/],
    [
      "a balance before the first block",
      (story) => (story.pre[toData(BRIDGE_ADDRESS)].balance = "0x1"),
      "first/pre",
      /^preRoot is 0x/,
    ],
    [
      "gasUsed",
      (story) => (story.blocks[1].results[0].gasUsed = "0x5209"),
      "first/block 1 (number 1502)",
      /^tx 0 gasUsed is 21000 instead of 21001; blocks after it are not run \(1\)$/,
    ],
    [
      "paidFees",
      (story) => (story.blocks[0].results[1].paidFees = "0x1"),
      "first/block 0 (number 1001)",
      /^tx 1 paidFees is \d+ instead of 1;/,
    ],
    ["status", (story) => (story.blocks[2].results[0].status = 0), "first/block 2 (number 1503)", /^tx 0 status is 1/],
    [
      "outputHash",
      (story) => {
        delete story.blocks[0].results[0].output;
        story.blocks[0].results[0].outputHash = story.preRoot;
      },
      "first/block 0 (number 1001)",
      /^tx 0 outputHash is 0x/,
    ],
    [
      "output",
      (story) => (story.blocks[2].results[0].output = "0x01"),
      "first/block 2 (number 1503)",
      /^tx 0 output is 0x instead of 0x01$/,
    ],
    [
      "receiptHash",
      (story) => (story.blocks[0].results[1].receiptHash = story.preRoot),
      "first/block 0 (number 1001)",
      /^tx 1 receiptHash is 0x/,
    ],
    [
      "a refused transaction",
      (story) => (story.blocks[1].results[1] = story.blocks[1].results[0]),
      "first/block 1 (number 1502)",
      /^tx 1 is rejected \(.*\) instead of accepted;/,
    ],
    [
      "an accepted transaction",
      (story) => (story.blocks[1].results[0] = { rejected: "error" }),
      "first/block 1 (number 1502)",
      /^tx 0 is accepted instead of rejected;/,
    ],
    [
      "receiptsRoot",
      (story) => (story.blocks[2].receiptsRoot = story.preRoot),
      "first/block 2 (number 1503)",
      /^receiptsRoot is 0x/,
    ],
    [
      "postRoot",
      (story) => (story.blocks[2].postRoot = story.preRoot),
      "first/block 2 (number 1503)",
      /^postRoot is 0x/,
    ],
    ["a patch", (story) => delete story.blocks[1].patches, "first/block 1 (number 1502)", /^postRoot is 0x/],
    ["an alias", (story) => delete story.aliases, "first/block 1 (number 1502)", /^tx 0 is rejected/],
  ];
  for (const [what, change, place, reason] of CORRUPTIONS) {
    it(`fails at ${what} that differs, and continues with the next story`, async () => {
      const { failures } = await runChanged(change);
      assert.deepEqual(
        failures.map(({ name }) => name),
        [place],
      );
      assert.match(failures[0]!.reason, reason);
    });
  }

  const MALFORMED: [what: string, change: (story: Json) => void, reason: RegExp][] = [
    ["an unknown network", (story) => (story.network = "moon"), /MALFORMED reason=story first, network: /],
    ["no name", (story) => delete story.name, /story undefined, name: /],
    ["a transaction that is no hex", (story) => (story.blocks[1].txs[0] = "0x0"), /blocks\.1\.txs\.0: no hex bytes/],
    ["fewer results than transactions", (story) => story.blocks[0].results.pop(), /blocks\.0: as many results/],
    ["a result without gas", (story) => delete story.blocks[0].results[0].gasUsed, /blocks\.0\.results\.0/],
    ["numbers that do not grow", (story) => (story.blocks[1].number = 1001), /blocks: block numbers do not grow/],
    ["a short coinbase", (story) => (story.blocks[0].coinbase = "0x01"), /blocks\.0\.coinbase: no address/],
    ["a patch of a number", (story) => (story.blocks[0].patches = [["0x00", 1]]), /blocks\.0\.patches\.0\.1/],
  ];
  for (const [what, change, reason] of MALFORMED) {
    it(`fails a line with ${what}, and continues with the next`, async () => {
      const { passed, failures } = await runChanged(change);
      assert.equal(passed, 3);
      assert.deepEqual(
        failures.map(({ name }) => name),
        ["some.jsonl:1"],
      );
      assert.match(failures[0]!.reason, reason);
    });
  }

  it("fails lines that are no JSON, wherever they are", async () => {
    const { passed, failures } = await run(`{"name":\n${line}\nnull\n[${line}]`);
    assert.equal(passed, 3);
    assert.deepEqual(
      failures.map(({ name }) => name),
      ["some.jsonl:1", "some.jsonl:3", "some.jsonl:4"],
    );
    assert.match(failures[0]!.reason, /^no JSON: /);
  });

  it("runs a gzipped file as far as it can be read, and says where it is damaged", async () => {
    const incompressible = JSON.stringify({ filler: gzipSync(line).toString("hex").repeat(40) });
    const whole = gzipSync(`${line}\n${incompressible}\n${line}\n`);
    const { passed, failures } = await run(whole.subarray(0, -20), "cut.jsonl.gz");
    assert.equal(passed, 3);
    assert.match(failures.at(-1)!.reason, /^FILE_UNREADABLE path=.*cut\.jsonl\.gz reason=/);
    await assert.rejects(run("no gzip", "none.jsonl.gz"), (error) => {
      return error instanceof ConformanceError && error.code === "FILE_UNREADABLE";
    });
  });

  it("reads lines that span chunks, and refuses one that is too long", async () => {
    const path = join(folder, "long.txt");
    const long = "é".repeat(100_000);
    writeFileSync(path, `${long}\n\nlast`);
    const lines: string[] = [];
    for await (const text of readLines(path)) lines.push(text);
    assert.deepEqual(lines, [long, "", "last"]);
    await assert.rejects(async () => {
      for await (const _ of readLines(path, 100_000));
    }, /LINE_TOO_LONG .*line=1 maxBytes=100000/);
  });
});
