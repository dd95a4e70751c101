import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { BlockBuilder, MinerError, MinerServer } from "@cambium/miner";
import { SUBMISSION_METHODS } from "@cambium/miner/client";
import { fromHex, toData, utf8 } from "@cambium/primitives";
import { CliError } from "../src/errors.js";
import { MiningClient } from "../src/miner/mining-client.js";
import { FAULTS, rehearse } from "../src/miner/rehearsal.js";

const signal = new AbortController().signal;
const IMPORT_RESULTS: Record<string, string> = {
  "imported-best": "IMPORTED_BEST",
  "imported-side": "IMPORTED_NOT_BEST",
  "already-known": "EXIST",
};

/** Serves the mining methods of JSON-RPC from a miner server. */
function serve(miner: MinerServer): Server {
  const hashes = (text: string) => text.split(" ").map(fromHex);
  const methods: Record<string, (params: string[]) => unknown> = {
    mnr_getWork: () => {
      const { hashForMergedMining, target, feesPaidToMiner, notify, parentBlockHash } = miner.getWork();
      return {
        blockHashForMergedMining: toData(hashForMergedMining),
        target: `0x${target.toString(16).padStart(64, "0")}`,
        feesPaidToMiner: feesPaidToMiner.toString(),
        notify,
        parentBlockHash: toData(parentBlockHash),
      };
    },
    mnr_submitParentChainBlock: ([block]) => miner.submitBlock(fromHex(block!)),
    mnr_submitParentChainBlockTransactions: ([, header, coinbase, ids]) =>
      miner.submitTransactions({
        header: fromHex(header!),
        coinbase: fromHex(coinbase!),
        transactionIds: hashes(ids!),
      }),
    mnr_submitParentChainBlockPartialMerkle: ([, header, coinbase, branch, count]) =>
      miner.submitPartialMerkle({
        header: fromHex(header!),
        coinbase: fromHex(coinbase!),
        merkleHashes: hashes(branch!),
        transactionCount: Number.parseInt(count!, 16),
      }),
  };
  return createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(await answer(() => methods[method]!(params))) }));
  });
}

async function answer(action: () => unknown): Promise<object> {
  try {
    const result = (await action()) as { result?: { kind: string }; hash: Uint8Array; number: number };
    if (result.result === undefined) return { result };
    const blockImportedResult = toData(utf8(IMPORT_RESULTS[result.result.kind]!));
    const blockIncludedHeight = `0x${result.number.toString(16)}`;
    return { result: { blockImportedResult, blockHash: toData(result.hash), blockIncludedHeight } };
  } catch (error) {
    assert(error instanceof MinerError);
    return { error: { code: -33000, message: error.message } };
  }
}

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
    server = serve(miner).listen(0, "127.0.0.1");
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
