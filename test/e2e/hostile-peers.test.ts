import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, openChain } from "@cambium/chain";
import { MemoryDatabase } from "@cambium/database";
import type { RunningNetwork } from "@cambium/networking";
import { frameOf } from "@cambium/networking/testing";
import { decodeRlpList, encodeRlp, RawRlp, toHex } from "@cambium/primitives";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { lenientChain, Mine, transfer } from "@cambium/test-utils/mined-chains";
import {
  askAllTheTime,
  cardOf,
  clock,
  HostilePeers,
  idOf,
  isPeerOf,
  LOCAL,
  memoryOf,
  tampered,
} from "@cambium/test-utils/peers/hostile-peers";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import type { RawPeer, RawPeerOptions } from "@cambium/test-utils/peers/raw-peer";
import { sleep, until } from "@cambium/test-utils/rpc-client";
import { seededBytes } from "@cambium/test-utils/seeded-bytes";
import { Block } from "@cambium/types";
import type { Stream } from "@libp2p/interface";
import { getBytes, ZeroAddress } from "ethers";

const BLOCKS = 40;
const MIB = 1024 * 1024;
/** A claimed difficulty that makes a peer the first choice for requests. */
const LOUD = 1n << 100n;

describe("a node among hostile peers", () => {
  let folder: string;
  let peers: HostilePeers;
  let honest: PeerNode;
  let victim: PeerNode;
  let stopAsking: () => Promise<number>;
  let memory: number;
  /** Hash of a block of almost a megabyte. */
  let heavy: Uint8Array;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-hostile-"));
    peers = new HostilePeers();
    honest = await startPeerNode(nodeFolder(folder, 0), []);
    for (let i = 0; i < BLOCKS; i++) await honest.rpc.call("evm_mine");
    heavy = await mineHeavy();
    // All peers have the same address, which gossip scoring would penalise, including the honest one.
    const limits = ["--p2p.per-subnet", "16"];
    victim = await startPeerNode(nodeFolder(folder, 1), [honest.address], ...limits);
    await agree();
  });

  after(async () => {
    await peers.end();
    await Promise.all([honest, victim].map((one) => one?.node.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    memory = memoryOf(victim);
    stopAsking = askAllTheTime(victim);
  });

  /**
   * After every attack, the honest node mines, and the victim follows it, answers requests, and uses no more memory.
   */
  afterEach(async function () {
    await minedAndFollowed();
    await peers.leave();
    assert(await isPeerOf(victim, idOf(honest)));
    const longest = await stopAsking();
    const grown = memoryOf(victim) - memory;
    console.log(`      answers within ${longest.toFixed(0)} ms, ${(grown / MIB).toFixed(0)} MiB more`);
    assert(grown < 150 * MIB, this.currentTest!.title);
  });

  async function agree(milliseconds?: number): Promise<void> {
    await until(async () => (await bestOf(victim)).hash === (await bestOf(honest)).hash, milliseconds);
  }

  /** Mines a block every two seconds until the victim has the latest one. */
  async function minedAndFollowed(): Promise<void> {
    for (let blocks = 10; ; blocks--) {
      await honest.rpc.call("evm_mine");
      try {
        return await agree(2000);
      } catch (error) {
        if (blocks === 0) throw error;
      }
    }
  }

  /** Mines a block of transactions with a lot of data; returns its hash. */
  async function mineHeavy(): Promise<Uint8Array> {
    const data = `0x${"00".repeat(100_000)}`;
    const transaction = { to: ZeroAddress, data, nonce: 0, gasLimit: 600_000n, gasPrice: 1n, chainId: 33n, type: 0 };
    for (const developer of DEVELOPERS.slice(1)) {
      await honest.rpc.call("eth_sendRawTransaction", await developer.signTransaction(transaction));
    }
    await honest.rpc.call("evm_mine");
    return getBytes((await bestOf(honest)).hash);
  }

  /** Connects a peer and waits until the victim has recorded the offence. */
  async function attack(chain: Parameters<HostilePeers["start"]>[0], offence: string): Promise<RunningNetwork> {
    const attacker = await peers.start(chain);
    await attacker.dial(victim.address).catch(() => undefined);
    await until(async () => (await cardOf(victim, attacker.ownId))?.[offence] > 0);
    return attacker;
  }

  /** Checks that a peer is disconnected, banned and not accepted again. */
  async function isShutOut(attacker: RunningNetwork): Promise<void> {
    const card = await cardOf(victim, attacker.ownId);
    assert.equal(card.goodReputation, false);
    assert.equal(card.punishments, 1);
    assert.equal(Math.round((card.punishedUntil - Date.now()) / 60_000), 12);
    await until(async () => attacker.peers().length === 0);
    assert.equal(await isPeerOf(victim, attacker.ownId), false);
    await assert.rejects(attacker.dial(victim.address));
  }

  /** A copy of the honest chain, continued by `begin` and then by `count` more blocks. */
  async function branch(count: number, into?: Chain, begin?: (mine: Mine) => Promise<unknown>): Promise<Chain> {
    const chain = await peers.chainOf(honest, into);
    const mine = new Mine(chain, "a", clock);
    await begin?.(mine);
    await new Mine(chain, "a", clock).blocks(count);
    return chain;
  }

  describe("that lie about their chain", () => {
    it("with another network and no common protocol", async () => {
      const genesis = { ...LOCAL.genesis, timestamp: LOCAL.genesis.timestamp + 1 };
      const chain = await openChain({ network: { ...LOCAL, genesis }, database: new MemoryDatabase() });
      const attacker = await peers.start(chain);
      await assert.rejects(attacker.dial(victim.address));
      assert.equal(await isPeerOf(victim, attacker.ownId), false);
    });

    it("with another chain id", async () => {
      const chain = await peers.chainOf(honest);
      const attacker = await peers.start(tampered(chain, { network: { ...LOCAL, chainId: 99 } }));
      await assert.rejects(attacker.dial(victim.address));
      await until(async () => (await cardOf(victim, attacker.ownId))?.invalidNetworks === 1);
      assert.equal(await isPeerOf(victim, attacker.ownId), false);
    });

    it("with another genesis block, whose hash starts like ours", async () => {
      const chain = await peers.chainOf(honest);
      const hash = chain.genesis.hash.slice();
      hash[31]! ^= 1;
      const attacker = await peers.start(tampered(chain, { genesis: tampered(chain.genesis, { hash }) }));
      await assert.rejects(attacker.dial(victim.address));
      await until(async () => (await cardOf(victim, attacker.ownId)) !== undefined);
      assert.equal(await isPeerOf(victim, attacker.ownId), false);
    });

    it("with a total difficulty that no header proves", async () => {
      const chain = await peers.chainOf(honest);
      const best = () => ({ ...chain.best(), totalDifficulty: LOUD });
      const attacker = await attack(tampered(chain, { best }), "unexpectedMessages");
      assert.equal((await cardOf(victim, attacker.ownId)).goodReputation, true);
    });

    it("with a height at which they have no block", async () => {
      const chain = await peers.chainOf(honest);
      const { header, hash } = chain.best();
      const best = {
        header: tampered(header, { number: 100_000 }),
        hash: hash.map((byte) => ~byte),
        totalDifficulty: LOUD,
      };
      const attacker = await peers.start(tampered(chain, { best: () => best }));
      await attacker.dial(victim.address);
      await until(() => isPeerOf(victim, attacker.ownId));
    });

    it("with headers of the wrong difficulty", async () => {
      const chain = await branch(50, await lenientChain(clock), (mine) => mine.changed({ difficulty: 3n }));
      await isShutOut(await attack(chain, "invalidHeader"));
    });

    it("with bodies of other blocks for correct headers", async () => {
      const chain = await branch(50);
      const wrong = chain.hashByNumber(8)!;
      const encodedBody = () => chain.encodedBody(wrong);
      await isShutOut(await attack(tampered(chain, { encodedBody }), "invalidMessages"));
    });

    it("with correct headers whose bodies they never send", async () => {
      const chain = await branch(50);
      let asked = 0;
      const encodedBody = () => {
        asked++;
        return undefined;
      };
      const attacker = await peers.start(tampered(chain, { encodedBody }));
      await attacker.dial(victim.address);
      // The victim repeats the request, because it has given up on an answer.
      await until(async () => asked > 1);
    });

    it("with a block that fails in execution", async () => {
      const stateRoot = new Uint8Array(32).fill(3);
      const chain = await branch(50, await lenientChain(clock), (mine) => mine.changed({ stateRoot }));
      await isShutOut(await attack(chain, "invalidBlocks"));
    });
  });

  describe("that gossip", () => {
    /** A peer in the victim's gossip mesh, so that its messages arrive. */
    async function gossiper(): Promise<RunningNetwork> {
      const gossiper = await peers.start(await peers.chainOf(honest));
      await gossiper.dial(victim.address);
      let hasReceived = false;
      const receive = async () => {
        hasReceived = true;
        return "ignore" as const;
      };
      gossiper.setGossipHandlers({
        block: async () => ({ verdict: await receive() }),
        blockHash: receive,
        transactions: receive,
      });
      while (!hasReceived) {
        await honest.rpc.call("evm_mine");
        await until(async () => hasReceived, 1000).catch(() => undefined);
      }
      await agree();
      return gossiper;
    }

    const has = async (node: PeerNode, { hash }: Block) =>
      (await node.rpc.call("eth_getBlockByHash", `0x${toHex(hash)}`, false)) !== null;

    it("a block with a wrong body, which does not prevent the import of the right one", async () => {
      const liar = await gossiper();
      const other = await gossiper();
      const block = await new Mine(await peers.chainOf(honest), "b", clock).block();
      await liar.publishBlock(new Block(block.header, [transfer(0n), ...block.transactions], []).encode());
      await until(async () => (await cardOf(victim, liar.ownId)).invalidBlocks > 0);
      await isShutOut(liar);
      assert.equal(await has(victim, block), false);
      await other.publishBlock(block.encode());
      await until(async () => (await has(victim, block)) && (await has(honest, block)));
    });

    it("two blocks of the same miner at the same height", async () => {
      const attacker = await gossiper();
      const one = new Mine(await peers.chainOf(honest), "b", clock);
      const other = new Mine(await peers.chainOf(honest), "b", clock);
      other.transactions = [transfer(0n)];
      for (const block of [await one.block(), await other.block()]) {
        await attacker.publishBlock(block.encode());
        await until(async () => (await has(victim, block)) && (await has(honest, block)));
      }
      assert.equal((await cardOf(victim, attacker.ownId)).validBlocks, 2);
    });

    it("twenty thousand invalid transactions", async () => {
      const attackers = [await gossiper(), await gossiper()];
      const count = 20_000 / attackers.length;
      for (const attacker of attackers) {
        for (let i = 0; i < count; i++) await attacker.publishTransactions([forged()]);
        await until(async () => (await cardOf(victim, attacker.ownId)).invalidTransactions >= 20);
        await until(async () => !(await isPeerOf(victim, attacker.ownId)));
      }
      const { pending, queued } = await victim.rpc.call("txpool_status");
      assert.deepEqual([Number(pending), Number(queued)], [0, 0]);
    });
  });

  describe("that send frames", () => {
    const PROTOCOLS = ["status", "goodbye", "skeleton", "hashes", "headers", "bodies", "blocks", "txs"] as const;

    it("announced as 200 MiB, in requests", async () => {
      for (const name of PROTOCOLS) {
        const attacker = await peers.raw();
        const connection = await attacker.meet(victim);
        await pour(await attacker.open(connection, name));
        await until(async () => (await cardOf(victim, attacker.id)).invalidMessages === 1);
        await until(async () => connection.status !== "open");
        assert.equal((await cardOf(victim, attacker.id)).goodReputation, true);
      }
    });

    it("announced as 200 MiB, in gossip", async () => {
      const attacker = await peers.raw();
      const connection = await attacker.meet(victim);
      await pour(await connection.newStream("/meshsub/1.2.0"));
      await until(async () => connection.status !== "open");
      assert.equal((await cardOf(victim, attacker.id)).invalidMessages, 1);
    });

    it("announced as 200 MiB, in a response", async () => {
      const attacker = await loud();
      await attacker.serve("headers", (stream) => pour(stream));
      const connection = await attacker.meet(victim);
      await until(async () => (await cardOf(victim, attacker.id))?.invalidMessages === 1);
      await until(async () => connection.status !== "open");
    });

    it("that never end, or never read a response", async () => {
      await Promise.all([endlessAnswer(), endlessRequest(), abandonedStreams(), slowReader(), silence()]);
    });

    /** A peer that claims one block more than there is. */
    async function loud() {
      const { number } = await bestOf(victim);
      return peers.raw({
        status: { totalDifficulty: LOUD, bestNumber: number + 1, bestHash: new Uint8Array(32).fill(1) },
      });
    }

    async function endlessAnswer() {
      const attacker = await loud();
      await attacker.serve("headers", (stream) => drip(stream, 16_000));
      await attacker.meet(victim);
      await until(async () => (await cardOf(victim, attacker.id))?.timeoutMessages === 1);
    }

    async function endlessRequest() {
      const attacker = await peers.raw();
      const stream = await attacker.open(await attacker.meet(victim), "hashes");
      await drip(stream, 1000);
      assert.notEqual(stream.status, "open");
    }

    async function abandonedStreams() {
      const attacker = await peers.raw();
      const connection = await attacker.meet(victim);
      const streams = await Promise.all(PROTOCOLS.slice(2).map((name) => attacker.open(connection, name)));
      await until(async () => streams.every(({ status }) => status !== "open"));
    }

    /** Requests megabytes and reads nothing. */
    async function slowReader() {
      const attacker = await peers.raw();
      const connection = await attacker.meet(victim);
      const request = encodeRlp([new Array(16).fill(heavy)]);
      const streams = await Promise.all(
        ["bodies", "bodies", "blocks", "blocks"].map((name) => attacker.open(connection, name as "bodies")),
      );
      for (const stream of streams) {
        stream.pause();
        stream.send(frameOf(request));
        await stream.close();
      }
      await until(async () => streams.every(({ status }) => status !== "open"));
    }

    /** Supports none of our protocols. */
    async function silence() {
      const attacker = await peers.raw();
      const connection = await attacker.dial(victim);
      await until(async () => connection.status !== "open");
      assert.equal(await isPeerOf(victim, attacker.id), false);
    }
  });

  describe("that flood", () => {
    it("with requests over many streams, and are each disconnected long before the twenty thousandth", async () => {
      for (const { card, sent } of await Promise.all([0, 1, 2].map(() => floodWithRequests(20_000)))) {
        assert(card.repeatedMessages >= 10, `${JSON.stringify(card)} of ${sent}`);
        assert(sent < 20_000, `${sent}`);
      }
    });

    it("with streams that end before protocol negotiation, and are each disconnected long before the fifty thousandth", async () => {
      for (const { card, sent } of await Promise.all([0, 1, 2].map(() => floodWithStreams(50_000)))) {
        assert(card.repeatedMessages >= 1, `${JSON.stringify(card)} of ${sent}`);
        assert(sent < 50_000, `${sent}`);
      }
    });

    async function floodWithStreams(count: number) {
      const attacker = await peers.raw();
      const sent = await attacker.churn(await attacker.meet(victim), count);
      return { sent, card: await cardOf(victim, attacker.id) };
    }

    async function floodWithRequests(count: number) {
      const attacker = await peers.raw();
      const connection = await attacker.meet(victim);
      const request = frameOf(encodeRlp([new Array(64).fill(new Uint8Array(0))])).subarray();
      let sent = 0;
      const asking = async () => {
        while (sent < count && connection.status === "open") {
          try {
            const stream = await attacker.open(connection, "hashes");
            sent++;
            stream.send(request);
            await stream.close();
          } catch {
            // The victim refused the stream.
          }
        }
      };
      await Promise.all(Array.from({ length: 64 }, asking));
      return { sent, card: await cardOf(victim, attacker.id) };
    }
  });

  describe("that connect in large numbers", () => {
    it("two hundred from one subnet", async () => {
      const comers: RawPeer[] = [];
      const join = async (options?: RawPeerOptions) => {
        const comer = await peers.raw(options);
        comers.push(comer);
        return comer.meet(victim).catch(() => undefined);
      };
      for (let i = 0; i < 200; i += 20) await Promise.all(Array.from({ length: 20 }, () => join()));
      const inside = async () =>
        (await Promise.all(comers.map(({ id }) => isPeerOf(victim, id)))).filter(Boolean).length;
      // The honest peer is in that subnet too.
      await until(async () => (await inside()) === 15);
      assert.equal(Number(await victim.rpc.call("net_peerCount")), 16);
      const other = await peers.raw({ from: "127.77.0.1" });
      await other.meet(victim);
      await until(() => isPeerOf(victim, other.id));
    });

    it("before the victim has outbound peers", async () => {
      const crowd = await Promise.all(Array.from({ length: 20 }, () => peers.raw()));
      await honest.node.stop();
      await until(async () => Number(await victim.rpc.call("net_peerCount")) === 0);
      for (const comer of crowd) await comer.meet(victim).catch(() => undefined);
      await until(async () => Number(await victim.rpc.call("net_peerCount")) === 16);
      const port = honest.address.match(/tcp\/(\d+)/)![1]!;
      honest = await startPeerNode(nodeFolder(folder, 0), [], "--p2p.port", port);
      await until(() => isPeerOf(victim, idOf(honest)));
    });
  });
});

/** A transaction whose signature is invalid. */
function forged(): Uint8Array {
  const { encoded } = transfer(0n);
  const items = decodeRlpList(encoded).map((item) => item.raw);
  items[7] = encodeRlp(seededBytes(32));
  // Above the order of the curve.
  items[8] = encodeRlp(new Uint8Array(32).fill(0xff));
  return encodeRlp(items.map((raw) => new RawRlp(raw)));
}

/** Announces 200 MiB and sends them as fast as possible, until the stream ends. */
async function pour(stream: Stream): Promise<void> {
  const chunk = new Uint8Array(64 * 1024);
  try {
    stream.send(Uint8Array.of(0x80, 0x80, 0x80, 0x64));
    for (let left = 200 * MIB; left > 0 && stream.status === "open"; left -= chunk.length) {
      if (!stream.send(chunk)) await stream.onDrain({ signal: AbortSignal.timeout(5_000) });
    }
  } catch {
    // The victim reset the stream.
  }
}

/** Announces a frame of `bytes` bytes and sends one byte a second, until the stream ends. */
async function drip(stream: Stream, bytes: number): Promise<void> {
  try {
    for (stream.send(Uint8Array.of((bytes & 0x7f) | 0x80, bytes >> 7)); stream.status === "open"; await sleep(1000)) {
      stream.send(Uint8Array.of(1));
    }
  } catch {
    // The victim reset the stream.
  }
}
