import assert from "node:assert/strict";
import { type Chain, localBlock, openChain } from "@cambium/chain";
import { readBlockFile } from "@cambium/chain-maintenance";
import { local } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { toData, toHex } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { LOGGER, NOW, RealChain } from "@cambium/test-utils/api/real-chain";
import { vectorPath } from "@cambium/test-utils/vectors";
import { Block } from "@cambium/types";
import { createRpcServer, DEFAULT_RPC_CONFIG, type RpcServer } from "../src/index.js";
import { CLIENT_VERSION, config, type Json, SILENT } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

/** The notifications that a subscription or filter must have received, computed from import results alone. */
class Expectation {
  readonly received: Json[] = [];
  private readonly heardOf = new Set<string>();

  constructor(
    readonly kind: "heads" | "logs" | "hashes",
    private readonly chain: Chain,
    private readonly accepts: (log: Json) => boolean = () => true,
    private readonly logsOf: (hash: Uint8Array) => Promise<Json[]>,
  ) {}

  async move(removed: readonly Uint8Array[], added: readonly Uint8Array[]): Promise<void> {
    if (this.kind === "logs") {
      for (const hash of removed.filter((one) => this.heardOf.has(toHex(one)))) await this.addLogs(hash, true);
      for (const hash of added) await this.addLogs(hash, false);
    } else {
      for (const hash of added) this.received.push(this.kind === "heads" ? this.head(hash) : toData(hash));
    }
    for (const hash of added) this.heardOf.add(toHex(hash));
  }

  private async addLogs(hash: Uint8Array, removed: boolean): Promise<void> {
    for (const log of await this.logsOf(hash)) if (this.accepts(log)) this.received.push({ ...log, removed });
  }

  private head(hash: Uint8Array): string {
    return `${this.chain.headerByHash(hash)!.number} ${toHex(hash)}`;
  }
}

/** A chain with a server, subscriptions and filters. */
class Following {
  private readonly filters: { id: string; expected: Expectation; polled: Json[] }[] = [];
  private readonly subscriptions: { id: string; expected: Expectation }[] = [];

  private constructor(
    readonly chain: Chain,
    private readonly server: RpcServer,
    readonly client: WsClient,
  ) {}

  static async start(): Promise<Following> {
    const chain = await openChain({ network: local, database: new MemoryDatabase(), now: () => NOW + 1e8 });
    const server = createRpcServer({
      chain,
      events: chain,
      pool: new FakePool().api(),
      config: config({
        http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
        ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      }),
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
    });
    const { ws } = await server.listen();
    return new Following(chain, server, await WsClient.open(ws!.port));
  }

  /** Adds one subscription and one filter of each kind. */
  async follow(): Promise<void> {
    const address = toData((await this.someLogAddress()) ?? new Uint8Array(20));
    const ofAddress = (log: Json) => log.address === address;
    await this.subscribe(this.expect("heads"), "newHeads");
    await this.subscribe(this.expect("logs"), "logs");
    await this.subscribe(this.expect("logs", ofAddress), "logs", { address });
    await this.install(this.expect("hashes"), "eth_newBlockFilter");
    await this.install(this.expect("logs"), "eth_newFilter", {});
    await this.install(this.expect("logs", ofAddress), "eth_newFilter", { address, fromBlock: "0x0" });
    const to = this.chain.best().header.number + 3;
    const upTo = (log: Json) => Number(log.blockNumber) <= to;
    await this.install(this.expect("logs", upTo), "eth_newFilter", { toBlock: `0x${to.toString(16)}` });
  }

  async import(block: Block): Promise<number> {
    const result = await this.chain.import(localBlock(block));
    if (result.kind !== "imported-best") return 0;
    const { removed, added } = result.reorganisation ?? { removed: [], added: [block.hash] };
    for (const { expected } of [...this.filters, ...this.subscriptions]) await expected.move(removed, added);
    return removed.length;
  }

  /** Polls every filter and compares all its results so far. */
  async poll(): Promise<void> {
    for (const { id, expected, polled } of this.filters) {
      polled.push(...(await this.client.result("eth_getFilterChanges", id)));
      assert.deepEqual(polled, expected.received);
      assert.deepEqual(await this.client.result("eth_getFilterChanges", id), []);
    }
  }

  compareSubscriptions(): void {
    for (const { id, expected } of this.subscriptions) {
      const received = this.client.of(id);
      const shown =
        expected.kind === "heads" ? received.map(({ number, hash }) => `${Number(number)} ${hash.slice(2)}`) : received;
      assert.deepEqual(shown, expected.received);
    }
  }

  /** Checks that every log follows the head of its block, and removed logs precede added ones. */
  compareOrder(): void {
    const standing = new Set<string>();
    const [heads, logs] = this.subscriptions.map(({ id }) => id);
    for (const { subscription, result } of this.client.notifications) {
      if (subscription === heads) standing.add(result.hash);
      if (subscription === logs) assert(standing.has(result.blockHash));
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private expect(kind: Expectation["kind"], accepts?: (log: Json) => boolean): Expectation {
    const logsOf = (hash: Uint8Array) => this.client.result("eth_getLogs", { blockHash: toData(hash) });
    return new Expectation(kind, this.chain, accepts, logsOf);
  }

  private async subscribe(expected: Expectation, ...params: Json[]): Promise<void> {
    this.subscriptions.push({ id: await this.client.result("eth_subscribe", ...params), expected });
  }

  private async install(expected: Expectation, method: string, ...params: Json[]): Promise<void> {
    this.filters.push({ id: await this.client.result(method, ...params), expected, polled: [] });
  }

  private async someLogAddress(): Promise<Uint8Array | undefined> {
    const { number } = this.chain.best().header;
    for (const { log } of this.chain.logs({ fromBlock: 0, toBlock: number })) return log.address;
    return undefined;
  }
}

describe("reorganisations in filters and subscriptions", () => {
  it("reports five blocks with logs replaced by six", async () => {
    const blocks = await competingBranches();
    const following = await Following.start();
    try {
      for (const block of blocks.common) await following.import(block);
      await following.follow();
      for (const block of blocks.old.slice(0, 2)) await following.import(block);
      await following.poll();
      await following.follow();
      for (const block of blocks.old.slice(2)) await following.import(block);
      await following.follow();
      let deepest = 0;
      for (const block of blocks.fresh) deepest = Math.max(deepest, await following.import(block));
      assert.equal(deepest, 5);
      await following.poll();
      following.compareSubscriptions();
      following.compareOrder();
      const removed = following.client.notifications.filter(({ result }) => result.removed === true);
      assert(removed.length >= 10);
    } finally {
      await following.close();
    }
  });

  it("follows a recorded chain with reorganisations up to eight blocks deep", async () => {
    const file = vectorPath("chains", "uncles-and-reorgs.blocks.txt.gz");
    const following = await Following.start();
    try {
      await following.follow();
      let line = 0;
      let deepest = 0;
      for await (const entry of readBlockFile(file)) {
        if (!("entry" in entry)) continue;
        deepest = Math.max(deepest, await following.import(Block.decode(entry.entry.rlp, local)));
        if (++line % 20 === 0) await following.follow();
        if (line % 7 === 0) await following.poll();
      }
      assert.equal(deepest, 8);
      await following.poll();
      following.compareSubscriptions();
      following.compareOrder();
    } finally {
      await following.close();
    }
  });

  it("reports removed logs after a revert, although their blocks are deleted", async () => {
    const real = await RealChain.open();
    const server = createRpcServer({
      chain: real.chain,
      events: real.chain,
      pool: new FakePool().api(),
      config: config(),
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
    });
    const ask = async (method: string, ...params: Json[]) => {
      const { result } = (await server.handle({ id: 1, method, params })) as Json;
      return result;
    };
    const logger = real.deploy(LOGGER);
    const base = await real.mine();
    const early = await ask("eth_newFilter", {});
    real.send({ to: logger });
    await real.mine();
    const polled = await ask("eth_newFilter", { fromBlock: "0x0" });
    await real.chain.rewind(base.hash);
    const removals = (logs: Json[]) => logs.filter(({ topics }) => topics.length === 1).map(({ removed }) => removed);
    assert.deepEqual(removals(await ask("eth_getFilterChanges", early)), [false, true]);
    assert.deepEqual(removals(await ask("eth_getFilterChanges", polled)), []);
    await server.close();
  });
});

/** Two branches on a common chain; every block has a log. */
async function competingBranches(): Promise<{ common: Block[]; old: Block[]; fresh: Block[] }> {
  const branch = async (length: number, logsInBlock: number) => {
    const real = await RealChain.open();
    const logger = real.deploy(LOGGER);
    const blocks = [await real.mine()];
    for (let i = 0; i < length; i++) {
      for (let j = 0; j < logsInBlock; j++) real.send({ to: logger });
      blocks.push(await real.mine());
    }
    await real.chain.close();
    return blocks;
  };
  const [old, fresh] = [await branch(5, 2), await branch(7, 1)];
  assert.equal(toHex(old[0]!.hash), toHex(fresh[0]!.hash));
  return { common: old.slice(0, 1), old: old.slice(1), fresh: fresh.slice(1) };
}
