import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { type RunningNode, runCli, startNode, startReplica } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { type Json, RpcClient, until } from "@cambium/test-utils/rpc-client";
import { scrape } from "@cambium/test-utils/scraped-metrics";
import { SEED } from "@cambium/test-utils/seed";
import { id, toBeHex } from "ethers";

const NETWORK = ["--network", "local"];
const BLOCKS = 240;
const SPLIT = ["--split-reads", "100", "--metrics.port", "0"];
/** Calls `add(0)` of the counter contract, which logs. */
const ADD = `${id("add(uint256)").slice(0, 10)}${"0".padStart(64, "0")}`;
/** Deploys a contract that loops while it has more than 10 000 gas. */
const LOOP = `0x69${"5b6127105a1160005700"}600052600a6016f3`;

async function body({ url }: RunningNode, method: string, params: unknown, signal?: AbortSignal): Promise<string> {
  const headers = { "content-type": "application/json" };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
  return (await fetch(url, { method: "POST", headers, body: text, ...(signal && { signal }) })).text();
}

async function metric({ greeting }: RunningNode, series: string): Promise<number> {
  return (await scrape(greeting)).get(series) ?? 0;
}

describe("wide searches of a replica with two others", function () {
  this.timeout(300_000);
  const next = random(SEED);
  const running: RunningNode[] = [];
  let folder: string;
  let nats: NatsServer;
  let writer: RunningNode;
  let rpc: RpcClient;
  let front: RunningNode;
  let others: RunningNode[];
  let from: string;
  let counter: string;
  let looping: string;

  async function kept(starting: Promise<RunningNode>): Promise<RunningNode> {
    const node = await starting;
    running.push(node);
    return node;
  }

  async function startOther(name: string, ...flags: string[]): Promise<RunningNode> {
    const { status, stderr } = await runCli(
      "db",
      "backup",
      join(folder, name),
      ...NETWORK,
      "--data-dir",
      join(folder, "writer"),
    );
    assert.equal(status, 0, stderr);
    return kept(startReplica(...NETWORK, "--data-dir", join(folder, name), "--from", nats.url, ...flags));
  }

  const send = (to: string, data = "0x", gas = "0x20000") => rpc.call("eth_sendTransaction", { from, to, data, gas });

  async function reached(node: RunningNode): Promise<void> {
    const head = await rpc.call("eth_getBlockByNumber", "latest", false);
    const replica = new RpcClient(node.url, false);
    await until(async () => (await replica.call("eth_getBlockByNumber", "latest", false)).hash === head.hash);
  }

  /** The answer of a replica that searches alone. */
  const alone = (method: string, filter: object) => body(others[1]!, method, filter);

  /** Whether nodes that cut searches answer like one that does not. */
  async function assertSame(method: string, filter: object): Promise<void> {
    const expected = await alone(method, filter);
    for (const node of [front, writer])
      assert.equal(await body(node, method, filter), expected, JSON.stringify(filter));
  }

  const served = (node: RunningNode) => metric(node, 'cambium_split_pieces_served_total{result="answered"}');
  const inPieces = (node: RunningNode) => metric(node, 'cambium_split_searches_total{answered="pieces"}');

  before(async function () {
    if (!hasNatsServer()) this.skip();
    folder = mkdtempSync(join(tmpdir(), "cambium-split-"));
    nats = await NatsServer.start();
    writer = await kept(
      startNode(...NETWORK, "--data-dir", join(folder, "writer"), "--mine", "--replicate", nats.url, ...SPLIT),
    );
    rpc = new RpcClient(writer.url, false);
    [from] = await rpc.call("eth_accounts");
    const deploy = async (data: string): Promise<string> => {
      const hash = await rpc.call("eth_sendTransaction", { from, data, gas: "0x100000" });
      return (await rpc.call("eth_getTransactionReceipt", hash)).contractAddress;
    };
    [counter, looping] = [await deploy(COUNTER_CODE), await deploy(LOOP)];
    for (let block = 0; block < BLOCKS; block++) {
      if (block % 4 === 0) await send(looping, "0x", "0x500000");
      else await send(counter, ADD);
    }
    front = await startOther("front", ...SPLIT);
    others = [await startOther("one", "--metrics.port", "0"), await startOther("two", "--metrics.port", "0")];
    for (const node of [front, ...others]) await reached(node);
    // Until the front node has found both.
    await until(async () => {
      await body(front, "eth_getLogs", { fromBlock: toBeHex(1 + Math.floor(next() * 99)) });
      return (await Promise.all(others.map(served))).every((pieces) => pieces > 0);
    });
  });

  after(async () => {
    await Promise.all(running.map((node) => node.stop("SIGKILL")));
    await nats?.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it("are answered as by a single node, to the byte", async () => {
    const upTo = (limit: number) => Math.floor(next() * limit);
    const topic = id("Added(uint256)");
    const before = [await inPieces(front), await inPieces(writer)] as const;
    for (let i = 0; i < 25; i++) {
      const first = upTo(BLOCKS - 110);
      const last = next() < 0.5 ? "latest" : toBeHex(first + 101 + upTo(20));
      const range = { fromBlock: toBeHex(first), toBlock: last };
      const filters = [
        { address: counter },
        { topics: [topic] },
        { topics: [null, topic] },
        { address: [counter, from] },
      ];
      await assertSame("eth_getLogs", { ...range, ...filters[upTo(filters.length)] });
    }
    await assertSame("trace_filter", { fromBlock: "0x1", toBlock: "0x50", toAddress: [counter], after: 3, count: 20 });
    assert((await inPieces(front)) > before[0] + 10);
    assert((await inPieces(writer)) > before[1] + 10);
    for (const other of others) assert((await served(other)) > 10);
  });

  it("go on elsewhere when a replica is killed with pieces in flight", async () => {
    const [killed] = others as [RunningNode];
    const before = await metric(front, 'cambium_split_pieces_total{place="failed"}');
    killed.process.kill("SIGSTOP");
    const filter = { fromBlock: "0x1", toBlock: "0xa0" };
    const here = () => metric(front, 'cambium_split_pieces_total{place="here"}');
    const done = await here();
    const answered = body(front, "trace_filter", filter);
    await until(async () => (await here()) > done);
    await killed.stop("SIGKILL");
    assert.equal(await answered, await alone("trace_filter", filter));
    assert((await metric(front, 'cambium_split_pieces_total{place="failed"}')) > before);
    await assertSame("eth_getLogs", { fromBlock: "0x1" });
  });

  it("end on all replicas when the client disconnects", async () => {
    const [, other] = others as [RunningNode, RunningNode];
    const cancelled = () => metric(other, 'cambium_split_pieces_served_total{result="cancelled"}');
    const here = await cancelled();
    // The client waits a little longer each time, until pieces are in flight when it gives up.
    for (let patience = 20; (await cancelled()) === here; patience += 20) {
      const filter = { fromBlock: "0x1", toBlock: toBeHex(BLOCKS - (patience % 50)) };
      await assert.rejects(body(front, "trace_filter", filter, AbortSignal.timeout(patience)));
    }
    await assertSame("eth_getLogs", { fromBlock: "0x2" });
  });

  it("show one branch during reorganisations", async () => {
    const fork = await rpc.call("eth_blockNumber");
    const branches: Map<string, string>[] = [];
    let isOver = false;
    const reorganise = async () => {
      for (let round = 0; round < 4; round++) {
        const snapshot = await rpc.call("evm_snapshot");
        for (let i = 0; i < 4; i++) await send(counter, ADD);
        const logs: Json[] = await rpc.call("eth_getLogs", { fromBlock: fork });
        branches.push(new Map(logs.map(({ blockNumber, blockHash }) => [blockNumber, blockHash])));
        if (round < 3) await rpc.call("evm_revert", snapshot);
      }
      isOver = true;
    };
    const writing = reorganise();
    const answers: Json[][] = [];
    while (!isOver || answers.length < 5) {
      const { result } = JSON.parse(await body(front, "eth_getLogs", { fromBlock: "0x1", address: counter })) as Json;
      answers.push(result);
    }
    await writing;
    for (const answer of answers) {
      const above = answer.filter(({ blockNumber }) => Number(blockNumber) > Number(fork));
      const isOf = (branch: Map<string, string>) =>
        above.every(({ blockNumber, blockHash }) => branch.get(blockNumber) === blockHash);
      assert(branches.some(isOf));
      assert(answer.length - above.length === (BLOCKS * 3) / 4, `${answer.length}`);
    }
    for (const node of [front, others[1]!]) await reached(node);
    await assertSame("eth_getLogs", { fromBlock: "0x1" });
  });
});
