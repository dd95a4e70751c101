import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { TAG_PLACES } from "@cambium/merged-mining";
import { BlockBuilder, MinerServer } from "@cambium/miner";
import { SUBMISSION_METHODS } from "@cambium/miner/client";
import { CliError } from "../src/errors.js";
import { MergedMiner, type MergedMinerOptions } from "../src/miner/merged-miner.js";
import { MiningClient } from "../src/miner/mining-client.js";
import { tableOf } from "../src/miner/mining-table.js";
import { ParentNode } from "../src/miner/parent-node.js";
import { serveMining } from "./mining-endpoint.js";
import { PAYOUT_SCRIPT, ParentStandIn } from "./parent-stand-in.js";

describe("a merged miner with a parent node", function () {
  this.timeout(30_000);
  let chain: Chain;
  let miner: MinerServer;
  let server: Server;
  let child: MiningClient;
  let parent: ParentStandIn;
  let events: string[];

  before(async () => {
    chain = await openChain({ network: NETWORKS.local, database: new MemoryDatabase() });
    const pool = { ordered: () => [], evict: () => undefined };
    const builder = new BlockBuilder({ chain, pool }, { rewardAddress: new Uint8Array(20), identity: "TEST" });
    miner = new MinerServer({ chain, builder });
    await miner.start();
    server = serveMining(miner, chain).listen(0, "127.0.0.1");
    await once(server, "listening");
    child = new MiningClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  beforeEach(async () => {
    events = [];
    parent = new ParentStandIn();
    await parent.start();
  });

  afterEach(() => parent.stop());

  after(() => {
    miner.stop();
    server.close();
  });

  function minerWith(changes: Partial<MergedMinerOptions>): MergedMiner {
    return new MergedMiner({
      parent: new ParentNode(parent.url),
      child,
      payoutScript: Buffer.from(PAYOUT_SCRIPT, "hex"),
      tagPlace: "output",
      method: "partial-merkle",
      count: 5,
      interval: 0,
      onEvent: (text) => events.push(text),
      ...changes,
    });
  }

  /** Mines until `isDone`, which is called after each event, returns true. */
  async function mineUntil(isDone: (miner: MergedMiner) => boolean): Promise<MergedMiner> {
    const ending = new AbortController();
    const one: MergedMiner = minerWith({
      count: Number.POSITIVE_INFINITY,
      onEvent: (text) => {
        events.push(text);
        if (isDone(one)) ending.abort();
      },
    });
    await one.run(ending.signal);
    return one;
  }

  for (const tagPlace of TAG_PLACES) {
    for (const method of SUBMISSION_METHODS) {
      it(`extends both chains with the tag in the ${tagPlace}, by ${method}`, async () => {
        const start = chain.best().header.number;
        const one = minerWith({ tagPlace, method });
        await one.run(new AbortController().signal);
        assert.equal(chain.best().header.number, start + 5, events.join("\n"));
        assert.equal(one.tally.child.accepted, 5);
        assert.equal(parent.blocks.length, one.tally.parent.accepted);
        assert.equal(one.tally.parent.refused + one.tally.child.refused, 0, events.join("\n"));
      });
    }
  }

  it("submits to each chain only what meets its target", async () => {
    parent.setDifficulty(1_000n);
    const one = await mineUntil(({ tally }) => tally.child.accepted >= 10 && tally.parent.accepted >= 1);
    assert.equal(one.tally.parent.refused, 0, events.join("\n"));
    assert.ok(one.tally.child.accepted > one.tally.parent.accepted);
    assert.ok(one.tally.hashes > one.tally.child.accepted);
  });

  it("continues on another branch of the parent chain", async () => {
    let reorganised = false;
    const one = await mineUntil(({ tally }) => {
      if (!reorganised && parent.blocks.length === 6) {
        reorganised = true;
        parent.reorganise(3);
      }
      return reorganised && tally.parent.height === 8;
    });
    assert.equal(one.tally.parent.refused, 0, events.join("\n"));
  });

  it("counts and names what a node refuses, or takes too late", async () => {
    parent.refusal = "bad-txns";
    const one = await mineUntil(({ tally }) => {
      if (tally.parent.refused === 2) parent.refusal = "stale-prevblk";
      return tally.parent.stale === 2;
    });
    assert.deepEqual([...one.tally.parent.reasons.keys()], ["bad-txns", "stale-prevblk"]);
    const table = tableOf(one.tally, 1_000, "the end");
    assert.match(table[1]!, /^parent +\d+ +0 +2 +2$/);
    assert.ok(table.includes("  2 times: stale-prevblk"), table.join("\n"));
    assert.equal(table.at(-1), "the end");
  });

  it("mines on while the parent node is away, and delivers its blocks when it is back", async () => {
    let accepted = 0;
    const one = await mineUntil(({ tally }) => {
      if (accepted === 0 && tally.parent.accepted === 2) {
        parent.stop();
        accepted = tally.child.accepted;
      } else if (tally.parent.away !== undefined && tally.child.accepted >= accepted + 5 && accepted > 0) {
        accepted = Number.POSITIVE_INFINITY;
        void parent.start();
      }
      // Blocks found while the node was away had the same predecessor, so all but one are stale.
      return tally.parent.stale > 0;
    });
    assert.ok(events.includes("parent: reached again"), events.join("\n"));
    assert.equal(events.filter((text) => text.startsWith("parent: away")).length, 1);
    assert.equal(one.tally.parent.refused, 0, events.join("\n"));
  });

  it("fails if a node refuses the password, or has no wallet address", async () => {
    const wrong = new URL(parent.url);
    wrong.password = "other";
    const isRpcError = (error: unknown) => error instanceof CliError && error.code === "RPC";
    await assert.rejects(minerWith({ parent: new ParentNode(wrong) }).run(new AbortController().signal), (error) => {
      assert.ok(!String(error).includes("other"));
      return isRpcError(error);
    });
    const node = new ParentNode(parent.url);
    assert.deepEqual([...(await node.payoutScript())], [0x51]);
    await assert.rejects(node.payoutScript("elsewhere"), { code: "INVALID_OPTION" });
  });
});
