import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cellAddress, runConformance } from "@cambium/conformance";
import { toHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";

type Json = ReturnType<typeof JSON.parse>;

describe("runner of trap heights", () => {
  let folder: string;
  let line: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "traps-"));
    const lines = readFileSync(vectorPath("traps/traps.jsonl"), "utf8").split("\n");
    line = lines.find((text) => text.startsWith('{"height":2395450,'))!;
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(change: (story: Json) => void = () => {}) {
    const story = JSON.parse(line);
    change(story);
    const path = join(folder, "some.jsonl");
    writeFileSync(path, `${JSON.stringify(story)}\n`);
    const [report] = (await runConformance([path])).reports;
    return { suite: report!.suite, passed: report!.passed, reasons: report!.failures.map(({ reason }) => reason) };
  }

  it("recognises a trap by its content, and reports one result for it", async () => {
    assert.deepEqual(await run(), { suite: "traps", passed: 1, reasons: [] });
  });

  it("names the cell and the account that differ", async () => {
    const changes: [change: (story: Json) => void, reason: RegExp][] = [
      [(story) => (story.cells.lockingCap = "0x8506fc23ac0000"), /^cell lockingCap is 0x8506fc23ac00 instead of/],
      [(story) => (story.cells.newFederation = "0x01"), /^cell newFederation is null instead of 0x01$/],
      [(story) => (story.accounts[`0x${"ab".repeat(20)}`] = { nonce: "0x0", balance: "0x0" }), /^account 0xabab/],
      [(story) => (story.blocks[1].postRoot = story.preRoot), /^block 2395450 postRoot is/],
      [(story) => story.blocks[0].results[0].logs.push({ address: "0x", topics: [], data: "0x" }), /^block .* logs is/],
      [(story) => (story.preRoot = story.blocks[0].postRoot), /^preRoot is/],
    ];
    for (const [change, reason] of changes) assert.match((await run(change)).reasons[0]!, reason);
  });

  it("refuses a story whose recorded results lack a figure", async () => {
    const { reasons } = await run((story) => (story.figures[0].value = "8506fc23ac01"));
    assert.match(reasons[0]!, /cells\.lockingCap: lacks 8506fc23ac01/);
    const { reasons: others } = await run((story) => (story.figures[0].at = "cells.none.0"));
    assert.match(others[0]!, /cells\.none\.0: lacks/);
  });

  it("names cells as the main network does", () => {
    const names = {
      "btcBlockHeight-696552": "16237937c05c75734c886e3a18c663be516f8140f821c7e6c277dc78d76e78fd",
      "coinbaseInformation-0000000000000000000b718fb9d9d0c032cbfbebae6e3f99da00a131a7433fe4":
        "4e92fd4d2d1f5769b361ef086f963fea4d74d700b5544f67b5a9a2c587fd3f2f",
      "pegoutTxSigHash-122057662a8bb0ed963b33153fb865db5c5d87a34aec7ce3aa5f68b5056e2595":
        "904714d8846e313b4c1b50bd004db73f0a18c1c1fd6074540174bc04278de29a",
    };
    for (const [name, address] of Object.entries(names)) assert.equal(toHex(cellAddress(name)), address);
  });
});
