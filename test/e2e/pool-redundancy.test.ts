import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SubmittedBlock, solve, submit, type Work } from "@cambium/test-utils/clients/mining-client";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { freePort } from "@cambium/test-utils/servers/free-port";

const IMPORTED_BEST = `0x${Buffer.from("IMPORTED_BEST").toString("hex")}`;

/** Tests merged mining that continues after the end of a node. */
describe("a pool's nodes", function () {
  this.timeout(120_000);
  let folder: string;
  const running = new Set<RunningNode>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-pool-"));
  });

  afterEach(async () => {
    await Promise.all([...running].map((node) => node.stop("SIGKILL")));
    running.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, ...flags: string[]): Promise<{ node: RunningNode; rpc: RpcClient }> {
    const node = await startNode("--network", "local", "--data-dir", join(folder, name), ...flags);
    running.add(node);
    return { node, rpc: new RpcClient(node.url, false) };
  }

  /** Returns work with a transaction, which no other node has. */
  async function workWithTransaction(rpc: RpcClient): Promise<Work> {
    const [from] = await rpc.call("eth_accounts");
    await rpc.call("eth_sendTransaction", { from, to: from, gas: "0x5208", gasPrice: "0x1" });
    const work: Work = await rpc.call("mnr_getWork");
    assert.equal(work.feesPaidToMiner, "21000");
    return work;
  }

  /** Submits a solution until the node knows its work. */
  async function submitted(rpc: RpcClient, work: Work): Promise<SubmittedBlock> {
    const solution = solve(work, 3);
    let result: SubmittedBlock | undefined;
    await until(async () => {
      result = await submit(rpc, "partial-merkle", solution).catch((error: Error) => {
        assert.match(error.message, /could not find hash/);
        return undefined;
      });
      return result !== undefined;
    });
    return result!;
  }

  async function assertMined(rpc: RpcClient, work: Work, { blockImportedResult, blockHash }: SubmittedBlock) {
    assert.equal(blockImportedResult, IMPORTED_BEST);
    const block = await rpc.call("eth_getBlockByHash", blockHash, false);
    assert.equal(block.hashForMergedMining, work.blockHashForMergedMining);
    assert.equal(block.transactions.length, 2, "the transaction and the reward transaction");
  }

  it("accept solutions of each other's work, also after the one that served it is killed", async () => {
    const second = await start("second");
    const first = await start("first", "--miner.partners", second.node.url);
    const work = await workWithTransaction(first.rpc);
    const early = await submitted(second.rpc, work);
    await assertMined(second.rpc, work, early);
    const third = await start("third");
    const other = await start("fourth", "--miner.partners", `${third.node.url} ${second.node.url}`);
    const late = await workWithTransaction(other.rpc);
    await submitted(second.rpc, late);
    await other.node.stop("SIGKILL");
    await assertMined(third.rpc, late, await submitted(third.rpc, late));
  });

  it("get the work that was served while they were away", async () => {
    const port = await freePort();
    const first = await start("first", "--miner.partners", `http://127.0.0.1:${port}`);
    const work = await workWithTransaction(first.rpc);
    const second = await start("second", "--http.port", String(port));
    await assertMined(second.rpc, work, await submitted(second.rpc, work));
  });

  it("accept solutions of their work after they were killed", async () => {
    const files = join(folder, "only", "work");
    const { node, rpc } = await start("only");
    const damaged: Work = await rpc.call("mnr_getWork");
    const work = await workWithTransaction(rpc);
    const fileOf = ({ blockHashForMergedMining }: Work) => `${blockHashForMergedMining.slice(2)}.block`;
    await until(() => Promise.resolve(readdirSync(files).includes(fileOf(work))));
    await node.stop("SIGKILL");
    truncateSync(join(files, fileOf(damaged)), 100);
    const again = await start("only");
    assert(!readdirSync(files).includes(fileOf(damaged)));
    await assertMined(again.rpc, work, await submitted(again.rpc, work));
  });

  it("refuse what is no block", async () => {
    const { rpc } = await start("only");
    for (const malformed of ["0x", "0x00", "0xc0", `0xf8${"00".repeat(200)}`]) {
      await assert.rejects(rpc.call("mnr_rememberWork", malformed), {
        code: -32602,
        message: /^Invalid block template/,
      });
    }
  });
});
