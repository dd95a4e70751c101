import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_ABI, COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { TcpGate } from "@cambium/test-utils/peers/tcp-gate";
import { type Json, sleep, until } from "@cambium/test-utils/rpc-client";
import { Interface, Wallet } from "ethers";
import { createPublicClient, webSocket } from "viem";

/** Number of blocks that each half mines during the partition. */
const LOST_BLOCKS = 30;
const WON_BLOCKS = 33;
/** Number of the last of these blocks, before which some transactions are submitted. */
const LAST_BLOCKS = 10;

/** Notifications that a subscriber received. */
interface News {
  heads: Json[];
  logs: Json[];
  end(): Promise<void>;
}

describe("two halves of a partitioned network", () => {
  const counter = new Interface(COUNTER_ABI);
  const sink = Wallet.createRandom().address;
  const losing: PeerNode[] = [];
  const winning: PeerNode[] = [];
  const all = () => [...losing, ...winning];
  const gates: TcpGate[] = [];
  const news: News[] = [];
  let folder: string;
  let contract: `0x${string}`;
  let forkPoint: { number: number; hash: string };

  /** Hashes of transactions by their expected fate. */
  const returning: string[] = [];
  const replaced: string[] = [];
  const won: string[] = [];
  const waiting: string[] = [];
  /** The contract call in the losing branch, and the transactions with the same nonce that are pending in each half. */
  let lostCall: string;
  let lostRival: string;
  let wonRival: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-partition-"));
    await startHalf(winning, "winning", []);
    for (const { address } of winning.slice(0, 2)) gates.push(await TcpGate.before(address));
    const beyond = gates.map(({ address }) => address);
    await startHalf(losing, "losing", beyond);
    await until(async () => (await connectionsAcross()) === 2 * gates.length);
  });

  after(async () => {
    for (const { end } of news) await end();
    for (const gate of gates) gate.close();
    const ends = await Promise.all(all().map(({ node }) => node.stop()));
    rmSync(folder, { recursive: true });
    assert.deepEqual(ends, new Array(10).fill(0));
  });

  /**
   * Starts two hubs that the other nodes of their half dial. Each hub dials one of the other half if that was started
   * before.
   */
  async function startHalf(half: PeerNode[], name: string, beyond: string[]): Promise<void> {
    const start = (index: number, boot: string[]) => startPeerNode(nodeFolder(join(folder, name), index), boot);
    half.push(await start(0, beyond.slice(0, 1)));
    half.push(await start(1, [half[0]!.address, ...beyond.slice(1)]));
    const hubs = half.map(({ address }) => address);
    half.push(...(await Promise.all([2, 3, 4].map((index) => start(index, hubs)))));
  }

  /** Connections between the halves, counted at both ends. */
  async function connectionsAcross(): Promise<number> {
    let count = 0;
    for (const half of [losing, winning]) {
      const own = half.map(({ address }) => address.slice(address.lastIndexOf("/") + 1));
      for (const { rpc } of half) {
        const peers: string[] = await rpc.call("net_peerList");
        count += peers.filter((peer) => !own.includes(peer.split(" ")[0]!)).length;
      }
    }
    return count;
  }

  /** Waits until a block is the best one of all these nodes. */
  async function agree(nodes: PeerNode[], hash: string): Promise<void> {
    for (const node of nodes) await until(async () => (await bestOf(node)).hash === hash);
  }

  async function mine(half: PeerNode[], blocks: number): Promise<void> {
    const miner = half[2]!;
    for (let i = 0; i < blocks; i++) await miner.rpc.call("evm_mine");
    await agree(half, (await bestOf(miner)).hash);
  }

  /** Submits a transaction of a developer, by default a transfer; returns its hash. */
  async function send(at: PeerNode, sender: number, nonce: number, fields: object = {}): Promise<string> {
    const transfer = { to: sink, value: 1n, gasLimit: 21_000n, gasPrice: 1_000_000_000n, chainId: 33n, type: 0 };
    const raw = await DEVELOPERS[sender]!.signTransaction({ ...transfer, nonce, ...fields });
    return at.rpc.call("eth_sendRawTransaction", raw);
  }

  function add(amount: number): object {
    return { to: contract, value: 0n, gasLimit: 100_000n, data: counter.encodeFunctionData("add", [amount]) };
  }

  /** Hashes of all transactions in a node's pool. */
  async function pooled({ rpc }: PeerNode): Promise<string[]> {
    const { pending, queued } = await rpc.call("txpool_content");
    const bySender: Record<string, { hash: string }[]>[] = [
      ...Object.values(pending),
      ...Object.values(queued),
    ] as Json;
    return bySender.flatMap((byNonce) => Object.values(byNonce).flat()).map(({ hash }) => hash);
  }

  async function allHold(nodes: PeerNode[], hashes: string[]): Promise<void> {
    for (const node of nodes) {
      await until(async () => {
        const pool = await pooled(node);
        return hashes.every((hash) => pool.includes(hash));
      });
    }
  }

  async function assertMined(node: PeerNode, hashes: string[]): Promise<void> {
    const receipts = await Promise.all(hashes.map((hash) => node.rpc.call("eth_getTransactionReceipt", hash)));
    assert.deepEqual(
      receipts.map((receipt) => receipt?.status),
      hashes.map(() => "0x1"),
    );
  }

  it("agree before the partition", async () => {
    const creation = { to: null, value: 0n, gasLimit: 1_000_000n, data: COUNTER_CODE };
    const created = await send(losing[4]!, 0, 0, creation);
    await allHold(winning, [created]);
    await mine(winning, 1);
    forkPoint = await bestOf(winning[0]!);
    await agree(all(), forkPoint.hash);
    contract = (await losing[3]!.rpc.call("eth_getTransactionReceipt", created)).contractAddress;
    for (const { node } of losing) news.push(await subscribe(node.wsUrl!, contract));
  });

  it(`build separate chains of at least ${LOST_BLOCKS} blocks`, async () => {
    for (const gate of gates) gate.cut();
    await until(async () => (await connectionsAcross()) === 0);

    // Transactions mined by one half, and unknown to the other.
    for (const nonce of [0, 1, 2]) returning.push(await send(losing[3]!, 1, nonce));
    lostCall = await send(losing[4]!, 2, 0, add(5));
    returning.push(lostCall);
    won.push(await send(winning[4]!, 3, 0, add(7)));
    // The same transaction in both halves, and its successor.
    won.push(await send(winning[3]!, 4, 0));
    await send(losing[3]!, 4, 0);
    returning.push(await send(losing[3]!, 4, 1));
    // A different transaction in each half, and its successor.
    won.push(await send(winning[1]!, 5, 0, { value: 3n }));
    replaced.push(await send(losing[1]!, 5, 0, { value: 2n }));
    returning.push(await send(losing[1]!, 5, 1));
    const [lostSoFar, wonSoFar] = [[...returning, ...replaced], [...won]];
    await allHold(losing, lostSoFar);
    await allHold(winning, wonSoFar);
    await mine(losing, LOST_BLOCKS - LAST_BLOCKS);
    await mine(winning, WON_BLOCKS - LAST_BLOCKS);

    // Transactions mined by the winning half while they, or others with their nonce, are pending in the losing half.
    won.push(await send(winning[4]!, 6, 0, { value: 3n }));
    await allHold(winning, won.slice(-1));
    await mine(losing, LAST_BLOCKS);
    await mine(winning, LAST_BLOCKS);
    replaced.push(await send(losing[4]!, 6, 0, { value: 2n }));
    await send(losing[0]!, 3, 0, add(7));
    // Transactions mined by neither half.
    returning.push(await send(losing[3]!, 7, 0));
    waiting.push(await send(winning[3]!, 8, 0));
    lostRival = await send(losing[1]!, 9, 0, { value: 2n });
    wonRival = await send(winning[1]!, 9, 0, { value: 3n });
    await allHold(losing, [replaced.at(-1)!, won[0]!, returning.at(-1)!, lostRival]);
    await allHold(winning, [...waiting, wonRival]);

    await Promise.all(losing.map((node) => assertMined(node, lostSoFar)));
    await Promise.all(winning.map((node) => assertMined(node, won)));
    assert.equal((await bestOf(losing[0]!)).number, forkPoint.number + LOST_BLOCKS);
    assert.equal((await bestOf(winning[0]!)).number, forkPoint.number + WON_BLOCKS);
    assert.equal(await connectionsAcross(), 0);
  });

  it("agree after they reconnect, and report the reorganisation", async () => {
    const [lost, best] = [await bestOf(losing[0]!), await bestOf(winning[0]!)];
    for (const gate of gates) gate.join();
    await agree(all(), best.hash);

    for (const { heads, logs } of news) {
      await until(async () => heads.at(-1)?.hash === best.hash && logs.length === 3);
      const abandoned = heads.findIndex(({ hash }) => hash === lost.hash);
      assert.equal(abandoned, LOST_BLOCKS - 1);
      let parent = forkPoint.hash;
      for (const head of heads.slice(abandoned + 1)) {
        assert.equal(head.parentHash, parent);
        parent = head.hash;
      }
      const received = logs.map(({ transactionHash, data, removed }) => [transactionHash, Number(data), removed]);
      assert.deepEqual(received, [
        [lostCall, 5, false],
        [lostCall, 5, true],
        [won[0], 7, false],
      ]);
      assert.equal(logs[1].blockHash, logs[0].blockHash);
    }
  });

  it("keep the transactions in their pools that are still valid", async () => {
    for (const [half, own, others] of [
      [losing, [...returning, lostRival], waiting],
      [winning, [...waiting, wonRival], returning],
    ] as const) {
      for (const node of half) {
        // Some of the other half's transactions may have arrived already.
        const pool = (await pooled(node)).filter((hash) => !others.includes(hash));
        assert.deepEqual(pool.sort(), [...own].sort());
      }
    }
  });

  it("mine them on the common chain", async () => {
    // Each half announces its transactions to the other repeatedly.
    await until(async () => {
      await sleep(1000);
      await mine(winning, 1);
      return (await Promise.all(all().map(pooled))).every((pool) => pool.length === 0);
    });
    await agree(all(), (await bestOf(winning[0]!)).hash);
    await Promise.all(
      all().map(async (node) => {
        assert.deepEqual(await pooled(node), []);
        await assertMined(node, [...won, ...returning, ...waiting, wonRival]);
        const gone = [...replaced, lostRival].map((hash) => node.rpc.call("eth_getTransactionByHash", hash));
        assert.deepEqual(await Promise.all(gone), [null, null, null]);
        assert.equal(Number(await node.rpc.call("eth_getStorageAt", contract, "0x0", "latest")), 5 + 7);
      }),
    );
  });
});

/** Subscribes to heads and to the logs of a contract. */
async function subscribe(url: string, address: `0x${string}`): Promise<News> {
  const { transport } = createPublicClient({ transport: webSocket(url, { keepAlive: false, reconnect: false }) });
  const [heads, logs]: [Json[], Json[]] = [[], []];
  await transport.subscribe({ params: ["newHeads"], onData: ({ result }) => heads.push(result) });
  await transport.subscribe({ params: ["logs", { address }], onData: ({ result }) => logs.push(result) });
  return { heads, logs, end: async () => (await transport.getRpcClient()).close() };
}
