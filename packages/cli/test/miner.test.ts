import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { BlockBuilder, MinerServer } from "@cambium/miner";
import { SUBMISSION_METHODS } from "@cambium/miner/client";
import { toData } from "@cambium/primitives";
import { CliError } from "../src/errors.js";
import { MiningClient } from "../src/miner/mining-client.js";
import { FAULTS, rehearse } from "../src/miner/rehearsal.js";
import { serveMining } from "./mining-endpoint.js";

const signal = new AbortController().signal;

describe("node-cli miner", () => {
  let chain: Chain;
  let miner: MinerServer;
  let server: Server;
  let client: MiningClient;

  before(async () => {
    chain = await openChain({ network: NETWORKS.local, database: new MemoryDatabase() });
    const pool = { ordered: () => [], evict: () => undefined };
    const builder = new BlockBuilder({ chain, pool }, { rewardAddress: new Uint8Array(20), identity: "TEST" });
    miner = new MinerServer({ chain, builder });
    server = serveMining(miner, chain).listen(0, "127.0.0.1");
    await once(server, "listening");
    client = new MiningClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  after(() => {
    miner.stop();
    server.close();
  });

  it("fails with an RPC error if the node has no block template, or cannot be reached", async () => {
    await assert.rejects(client.getWork(), (error) => error instanceof CliError && error.code === "RPC");
    const unreachable = new MiningClient("http://127.0.0.1:1");
    await assert.rejects(unreachable.getWork(), (error) => error instanceof CliError && error.code === "RPC");
    await miner.start();
  });

  for (const method of SUBMISSION_METHODS) {
    it(`mines by ${method}`, async () => {
      for (const otherTransactions of [0, 1, 4, 300]) {
        const { work, answer, asExpected } = await rehearse(client, { method, otherTransactions }, signal);
        assert(answer.kind === "accepted", JSON.stringify(answer));
        assert.equal(answer.importResult, "IMPORTED_BEST");
        assert.equal(answer.blockNumber, chain.best().header.number);
        assert.equal(answer.blockHash, toData(chain.best().hash));
        assert.equal(work.parentBlockHash, toData(chain.best().header.parentHash));
        assert(asExpected);
      }
    });

    for (const fault of FAULTS) {
      it(`gets the expected answer to ${fault} by ${method}`, async () => {
        for (const otherTransactions of [0, 3]) {
          const { answer, asExpected } = await rehearse(client, { method, otherTransactions, fault }, signal);
          assert(asExpected, JSON.stringify(answer));
          assert.equal(answer.kind, fault === "stale-work" ? "accepted" : "rejected");
        }
      });
    }
  }
});
