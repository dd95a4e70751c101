import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { equalBytes, toHex } from "@cambium/primitives";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import {
  collect,
  faultsOf,
  type TestNode,
  type TestNodeOptions,
  TestNodes,
  until,
} from "@cambium/test-utils/peers/network-nodes";
import { LOCAL_RLPX } from "@cambium/test-utils/peers/network-options";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { decodeBlockHeader } from "@cambium/types";
import { assembleBlock } from "../../src/block-assembly.js";
import { type GossipHandlers, NetworkingError, type Verdict } from "../../src/index.js";

const BLOCKS = 200;
/** Number of transactions, more than the messages that may leave and wait in a minute. */
const BURST = 900;

/** Handlers that accept and record everything. */
class AcceptingHandlers implements GossipHandlers {
  readonly received: string[] = [];
  block = async (encoded: Uint8Array) => {
    return { verdict: this.record("block"), block: decodeBlockHeader(encoded, network) };
  };
  blockHash = async ({ number }: { number: number }) => this.record(`hash ${number}`);
  transactions = async (encoded: readonly Uint8Array[]) => this.record(`${encoded.length} transactions`);

  private record(what: string): Verdict {
    this.received.push(what);
    return "accept";
  }
}

describe("network over the deployed network's wire", () => {
  const nodes = new TestNodes();
  let chain: Chain;

  before(async () => {
    chain = await emptyChain();
    const mine = new Mine(chain);
    await mine.blocks(BLOCKS);
  });
  afterEach(() => nodes.end());

  const start = (options: TestNodeOptions = {}) => nodes.start({ wires: ["rlpx"], ...options });

  async function pair(one: TestNodeOptions = {}, other: TestNodeOptions = {}): Promise<[TestNode, TestNode]> {
    const [first, second] = [await start(one), await start(other)];
    await first.network.dial(second.address);
    await until(() => second.network.peer(first.network.ownId) !== undefined);
    await until(() => first.network.peer(second.network.ownId) !== undefined);
    return [first, second];
  }

  it("exchanges claims, and updates them", async () => {
    const [asking, serving] = await pair({}, { chain });
    const [peer] = asking.network.peers();
    assert.equal(peer?.wire, "rlpx");
    assert.equal(peer.direction, "outbound");
    assert.equal(peer.status.bestNumber, BLOCKS);
    assert.deepEqual(peer.status.bestHash, chain.best().hash);
    assert.equal(peer.status.totalDifficulty, chain.best().totalDifficulty);
    assert.equal(peer.capabilities.servesSnapshots, false);
    assert.equal(serving.network.peers()[0]?.status.totalDifficulty, asking.chain.best().totalDifficulty);
    asking.network.noteBest(peer.id, 1000, new Uint8Array(32), 1n << 100n);
    assert.equal(asking.network.peer(peer.id)?.status.bestNumber, 1000);
  });

  it("goes on, and blames no peer, if it cannot read what a peer asks for", async () => {
    const [lost, best] = [chain.hashByNumber(1)!, chain.best().hash];
    const headerByHash = (hash: Uint8Array) => {
      if (equalBytes(hash, lost)) throw new DatabaseError({ code: "DATABASE_READ", reason: "EIO" });
      return chain.headerByHash(hash);
    };
    const failing: Chain = Object.create(chain, { headerByHash: { value: headerByHash } });
    const failures: object[] = [];
    const logger = { ...SILENT, error: (details: object) => failures.push(details) };
    const [asking, serving] = await pair({}, { sources: { chain: failing }, logger });
    const { ownId } = serving.network;
    const unanswered = asking.network.headers(ownId, lost, 1);
    unanswered.catch(() => undefined);
    assert.equal((await asking.network.headers(ownId, best, 2)).length, 2);
    await until(() => failures.length > 0);
    assert.deepEqual(faultsOf(serving), []);
    assert.equal(serving.network.peers().length, 1);
  });

  it("requests headers, bodies and blocks", async () => {
    const [{ network }, serving] = await pair({}, { chain });
    const peer = serving.network.ownId;
    const best = chain.best();
    const hashes = await network.hashes(peer, [0, 1, BLOCKS, BLOCKS + 1]);
    assert.deepEqual(
      hashes.map((hash) => hash && chain.headerByHash(hash)?.number),
      [0, 1, BLOCKS, undefined],
    );
    const skeleton = await network.skeleton(peer, 0, 64);
    assert.deepEqual(
      skeleton.map(({ number }) => number),
      [0, 192, BLOCKS],
    );
    const headers = await network.headers(peer, best.hash, 32);
    assert.deepEqual(
      headers.map(({ number }) => number),
      Array.from({ length: 32 }, (_, i) => BLOCKS - i),
    );
    const wanted = headers.map(({ hash }) => hash);
    const bodies = await collect(network.bodies(peer, wanted));
    for (const [i, body] of bodies.entries()) {
      assert(equalBytes(assembleBlock(headers[i]!, body!), chain.encodedBlock(wanted[i]!)!));
    }
    const blocks = await collect(network.blocks(peer, wanted.slice(0, 16)));
    for (const [i, block] of blocks.entries()) assert(equalBytes(block!, chain.encodedBlock(wanted[i]!)!));
  });

  it("rejects requests that the wire or the peer cannot answer", async () => {
    const [{ network }, serving] = await pair();
    const peer = serving.network.ownId;
    const codeOf = (code: string) => (error: unknown) => error instanceof NetworkingError && error.code === code;
    await assert.rejects(collect(network.transactions(peer, [new Uint8Array(32)])), codeOf("NOT_AVAILABLE"));
    const aborted = network.headers(peer, new Uint8Array(32), 1, AbortSignal.timeout(50));
    await assert.rejects(aborted, codeOf("ABORTED"));
    const pending = assert.rejects(network.headers(peer, new Uint8Array(32), 1), codeOf("DISCONNECTED"));
    await serving.network.stop();
    await pending;
    await assert.rejects(network.headers(peer, new Uint8Array(32), 1), codeOf("DISCONNECTED"));
  });

  it("packs transactions that exceed the pace of messages", async () => {
    const [sender, receiver] = await pair();
    const received = new Set<string>();
    const transactions = async (encoded: readonly Uint8Array[]): Promise<Verdict> => {
      for (const transaction of encoded) received.add(toHex(transaction));
      return "ignore";
    };
    receiver.network.setGossipHandlers({ ...new AcceptingHandlers(), transactions });
    // Each transaction is one item of two bytes.
    const encoded = (i: number) => Uint8Array.of(0xc3, 0x82, 0x80 + (i >> 8), i & 0xff);
    for (let i = 0; i < BURST; i++) await sender.network.publishTransactions([encoded(i)]);
    await until(() => received.size === BURST, 5_000);
  });

  it("stays connected to a node that mines at any speed, on a development network", async () => {
    const [sender, receiver] = await pair();
    const handlers = new AcceptingHandlers();
    receiver.network.setGossipHandlers(handlers);
    const [peer] = receiver.network.peers();
    for (let number = 1; number <= BLOCKS; number++) {
      await sender.network.publishBlock(chain.encodedBlock(chain.hashByNumber(number)!)!);
    }
    await sender.network.publishTransactions([transfer(0n).encoded]);
    await until(() => handlers.received.includes("1 transactions"), 5_000);
    assert.equal(receiver.network.peers()[0], peer);
  });

  it("passes on blocks and transactions, each once", async () => {
    const [first, middle] = await pair({ chain }, { chain });
    const last = await start({ chain });
    await middle.network.dial(last.address);
    await until(() => last.network.peers().length === 1 && middle.network.peers().length === 2);
    const handlers = [first, middle, last].map(({ network }) => {
      const accepting = new AcceptingHandlers();
      const transactions = (encoded: readonly Uint8Array[]) => {
        // Simulates a pool that has found the transactions to be pending.
        setImmediate(() => void network.relayPending(encoded));
        return accepting.transactions(encoded);
      };
      network.setGossipHandlers({ ...accepting, transactions });
      return accepting;
    });
    const block = chain.encodedBlock(chain.hashByNumber(BLOCKS - 1)!)!;
    await first.network.publishBlock(block);
    await until(() => handlers[2]!.received.length === 1);
    const { encoded } = transfer(0n);
    await first.network.publishTransactions([encoded, encoded]);
    await until(() => handlers[2]!.received.length === 2);
    await first.network.publishBlock(block);
    await first.network.publishTransactions([encoded, transfer(1n).encoded]);
    await until(() => handlers[2]!.received.length === 3);
    assert.deepEqual(handlers[0]!.received, []);
    assert.deepEqual(handlers[1]!.received, ["block", "1 transactions", "1 transactions"]);
    assert.deepEqual(handlers[2]!.received, [`hash ${BLOCKS - 1}`, "1 transactions", "1 transactions"]);
  });

  it("ends connections of other networks, duplicates and banned addresses", async () => {
    const [first, second] = await pair();
    await assert.rejects(first.network.dial(second.address));
    assert.equal(second.network.peers().length, 1);
    const other = await start({ chain: await emptyChain() });
    const foreign = { ...other.chain.network, networkId: 1 };
    const stranger = await start({ network: foreign });
    await assert.rejects(other.network.dial(stranger.address));
    await until(() => other.network.peers().length === 0);
    assert.equal(other.scoring.peerList().filter(({ invalidNetworks }) => invalidNetworks > 0).length, 1);
    second.network.report(first.network.ownId, "INVALID_BLOCK");
    await until(() => first.network.peers().length === 0 && second.network.peers().length === 0);
    await assert.rejects(first.network.dial(second.address));
  });

  it("keeps one of two connections if both sides dial at once", async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await start(), await start()];
      await Promise.allSettled([first.network.dial(second.address), second.network.dial(first.address)]);
      await until(() => [first, second].every(({ network }) => network.peers().length === 1), 5_000);
      assert.notEqual(first.network.peers()[0]!.direction, second.network.peers()[0]!.direction);
    }
  });

  it("redials fixed nodes", async () => {
    const serving = await start();
    const node = await start({ rlpx: { ...LOCAL_RLPX, nodes: [serving.address] } });
    await until(() => node.network.peers().length === 1);
    const { folder } = serving;
    const port = Number(new URL(serving.address).port);
    await nodes.stop(serving);
    await until(() => node.network.peers().length === 0);
    await start({ folder, rlpx: { ...LOCAL_RLPX, port } });
    await until(() => node.network.peers().length === 1);
  });

  it("finds other nodes by discovery", async () => {
    const first = await start({ discovery: true });
    const boot = { host: "127.0.0.1", port: Number(new URL(first.address).port) };
    const rlpx = { ...LOCAL_RLPX, bootNodes: [boot] };
    const others = [await start({ discovery: true, rlpx }), await start({ discovery: true, rlpx })];
    await until(() => others.every(({ network }) => network.peers().length === 2));
  });

  it("stays connected over libp2p to a node that speaks both", async () => {
    const wires = ["libp2p", "rlpx"] as const;
    const [first, second] = [await start({ wires }), await start({ wires })];
    const [libp2p, rlpx] = [second.network.listenAddresses()[0]!, second.network.listenAddresses().at(-1)!];
    assert.match(rlpx, /^enode:/);
    await first.network.dial(rlpx);
    await until(() => second.network.peers().length === 1);
    assert.equal(first.network.peers()[0]?.wire, "rlpx");
    await first.network.dial(libp2p);
    await until(() => first.network.peers()[0]?.wire === "libp2p" && second.network.peers()[0]?.wire === "libp2p");
    assert.equal(first.network.peers().length, 1);
    await assert.rejects(first.network.dial(rlpx));
  });
});
