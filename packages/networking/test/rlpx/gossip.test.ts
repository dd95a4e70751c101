import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import { encodeRlp } from "@cambium/primitives";
import type { RskMessage } from "@cambium/rlpx";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { settled } from "@cambium/test-utils/turning-clock";
import { decodeBlockHeader } from "@cambium/types";
import type { BlockId, GossipHandlers, Verdict } from "../../src/interface.js";
import { RlpxGossip } from "../../src/rlpx/gossip.js";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { TransactionOutbox } from "../../src/rlpx/transaction-outbox.js";

const BLOCKS = 3;

/** A peer that records the messages sent to it, and learns like a real one. */
class RecordingPeer {
  readonly sent: RskMessage[] = [];
  readonly isReady = true;
  readonly session = {
    notify: (message: RskMessage, onSent?: () => void) => {
      this.sent.push(message);
      onSent?.();
      return true;
    },
  };
  readonly transactions = new TransactionOutbox(this.session as never);
  private readonly blocks = new Set<string>();
  private readonly known = new Set<string>();

  constructor(readonly id: string) {}

  get peer(): RlpxPeer {
    return this as unknown as RlpxPeer;
  }

  markKnown = (hash: Uint8Array) => isNew(this.blocks, hash);
  learnsTransaction = (hash: Uint8Array) => isNew(this.known, hash);

  kinds(): string[] {
    return this.sent.splice(0).map(({ type }) => type);
  }
}

function isNew(known: Set<string>, hash: Uint8Array): boolean {
  const isUnknown = !known.has(`${hash}`);
  known.add(`${hash}`);
  return isUnknown;
}

/** Handlers that give one verdict, and record their arguments. */
class Judge implements GossipHandlers {
  readonly seen: string[] = [];
  constructor(private readonly verdict: Verdict = "accept") {}
  block = async (encoded: Uint8Array) => {
    const block = decodeBlockHeader(encoded, network);
    return { verdict: this.see("block"), block };
  };
  blockHash = async ({ number }: BlockId) => this.see(`hash ${number}`);
  transactions = async (encoded: readonly Uint8Array[]) => this.see(`${encoded.length} transactions`);

  private see(what: string): Verdict {
    this.seen.push(what);
    return this.verdict;
  }
}

describe("gossip with deployed nodes", () => {
  let chain: Chain;
  let now: number;
  let reports: string[];

  before(async () => {
    chain = await emptyChain();
    await new Mine(chain).blocks(BLOCKS);
  });

  beforeEach(() => {
    now = 1_000_000;
    reports = [];
  });

  const encoded = (number: number) => chain.encodedBlock(chain.hashByNumber(number)!)!;
  const hash = (number: number) => chain.hashByNumber(number)!;

  function gossipAmong(count: number, handlers: GossipHandlers = new Judge()): [RlpxGossip, ...RecordingPeer[]] {
    const peers = Array.from({ length: count }, (_, i) => new RecordingPeer(`${i}`));
    const gossip = new RlpxGossip({
      maxBlockBytes: () => 64 * 1024,
      isDevelopment: false,
      network: chain.network,
      peers: () => peers.map(({ peer }) => peer),
      report: (peer, event) => void reports.push(`${peer} ${event}`),
      clock: () => now,
      logger: SILENT,
    });
    gossip.setHandlers(handlers);
    return [gossip, ...peers];
  }

  it("sends an own block whole to the root of the number of peers, and its hash to the others", () => {
    const [gossip, ...peers] = gossipAmong(9);
    gossip.publishBlock(encoded(1));
    const kinds = peers.flatMap((peer) => peer.kinds());
    assert.equal(kinds.filter((kind) => kind === "block").length, 3);
    assert.equal(kinds.filter((kind) => kind === "newBlockHashes").length, 6);
    gossip.publishBlock(encoded(1));
    assert.deepEqual(
      peers.flatMap((peer) => peer.kinds()),
      [],
    );
  });

  it("announces a block that it accepted to all but those that have it", async () => {
    const [gossip, giving, having, other] = gossipAmong(3);
    having!.markKnown(hash(2));
    gossip.receive({ type: "block", block: encoded(2) }, giving!.peer);
    await settled(5);
    assert.deepEqual([giving!.kinds(), having!.kinds(), other!.kinds()], [[], [], ["newBlockHashes"]]);
  });

  it("announces a block once it has been executed, and none that failed", async () => {
    const outcomes = new Map<string, (isStored: boolean) => void>();
    const isStored = (block: Uint8Array) => new Promise<boolean>((resolve) => outcomes.set(`${block}`, resolve));
    const handlers = Object.assign(new Judge(), { isStored });
    const [gossip, giving, other] = gossipAmong(2, handlers);
    for (const number of [1, 2]) gossip.receive({ type: "block", block: encoded(number) }, giving!.peer);
    gossip.relayBlock({ number: 3, hash: hash(3) });
    await settled(5);
    assert.deepEqual(other!.kinds(), []);
    outcomes.get(`${hash(1)}`)!(false);
    outcomes.get(`${hash(2)}`)!(true);
    outcomes.get(`${hash(3)}`)!(true);
    await settled(5);
    assert.deepEqual(
      other!.sent.map((message) => message.type === "newBlockHashes" && message.blocks[0]!.number),
      [2, 3],
    );
  });

  it("does not announce a block back to its sender, whatever the verdict", async () => {
    const [gossip, giving, other] = gossipAmong(2, new Judge("ignore"));
    gossip.receive({ type: "block", block: encoded(2) }, giving!.peer);
    await settled(5);
    gossip.announce({ hash: hash(2), number: 2, totalDifficulty: 0n });
    assert.deepEqual([giving!.kinds(), other!.kinds()], [[], ["newBlockHashes"]]);
  });

  it("relays nothing that was rejected, or that a handler failed on", async () => {
    const failing = { ...new Judge(), block: () => Promise.reject(new Error("broken")) } as GossipHandlers;
    for (const handlers of [new Judge("reject"), failing]) {
      const [gossip, giving, other] = gossipAmong(2, handlers);
      gossip.receive({ type: "block", block: encoded(2) }, giving!.peer);
      gossip.receive({ type: "block", block: encodeRlp([[], [], []]) }, giving!.peer);
      await settled(5);
      assert.deepEqual([giving!.kinds(), other!.kinds()], [[], []]);
    }
  });

  it("reads the first hashes of an announcement", async () => {
    const judge = new Judge("ignore");
    const [gossip, giving] = gossipAmong(1, judge);
    const blocks = Array.from({ length: 300 }, (_, i) => ({ hash: new Uint8Array(32).fill(i), number: i }));
    gossip.receive({ type: "newBlockHashes", blocks }, giving!.peer);
    await settled(5);
    assert.equal(judge.seen.length, 16);
  });

  it("sends transactions once to each peer that has not sent them, and not before it is asked to", async () => {
    const [gossip, giving, other] = gossipAmong(2);
    const transactions = [transfer(0n), transfer(1n)].map((one) => one.encoded);
    gossip.receive({ type: "transactions", transactions }, giving!.peer);
    await settled(5);
    assert.deepEqual([giving!.sent, other!.sent], [[], []]);
    gossip.sendTransactions(transactions);
    await settled(5);
    gossip.sendTransactions([...transactions, transactions[0]!, transfer(2n).encoded]);
    await settled(5);
    assert.deepEqual(giving!.sent, [{ type: "transactions", transactions: [transfer(2n).encoded] }]);
    assert.deepEqual(other!.sent, [
      { type: "transactions", transactions },
      { type: "transactions", transactions: [transfer(2n).encoded] },
    ]);
  });

  it("skips transactions above the limit of their size", async () => {
    const judge = new Judge();
    const [gossip, giving] = gossipAmong(1, judge);
    const large = encodeRlp([new Uint8Array(131_073)]);
    gossip.receive({ type: "transactions", transactions: [large, transfer(0n).encoded] }, giving!.peer);
    await settled(5);
    assert.deepEqual(judge.seen, ["1 transactions"]);
  });

  it("limits what a peer sends, and hashes none of the rest", async () => {
    const judge = new Judge("ignore");
    const [gossip, giving] = gossipAmong(1, judge);
    let learned = 0;
    giving!.learnsTransaction = () => ++learned > 0;
    const transactions = new Array<Uint8Array>(60_000).fill(encodeRlp([]));
    gossip.receive({ type: "transactions", transactions }, giving!.peer);
    assert.deepEqual(reports, ["0 REPEATED_MESSAGE"]);
    assert.ok(learned <= 1000, `${learned} hashed`);
    for (let i = 0; i < 70; i++) gossip.receive({ type: "block", block: encoded(1) }, giving!.peer);
    assert.equal(reports.length, 1 + 70 - 64);
    now += 20_000;
    await settled(20);
    gossip.receive({ type: "block", block: encoded(1) }, giving!.peer);
    assert.equal(reports.length, 1 + 70 - 64);
  });

  it("bounds the bytes of what waits to be validated", async () => {
    const judge = new Judge("ignore");
    const waits = () => new Promise<never>(() => undefined);
    const [gossip, giving] = gossipAmong(1, { ...judge, block: waits, transactions: judge.transactions });
    const queueOf = (name: string) => (gossip as unknown as { queues: Record<string, { size: number }> }).queues[name]!;
    // Each counts for its bytes, in units of 4 KiB: a peer has room for a quarter of 16 MiB.
    const large = encodeRlp([new Uint8Array(120 * 1024)]);
    gossip.receive({ type: "transactions", transactions: new Array<Uint8Array>(60).fill(large) }, giving!.peer);
    assert.ok(queueOf("transaction").size > 0 && queueOf("transaction").size <= 1024);
    await settled(20);
    assert.ok(judge.seen.every((seen) => seen === "1 transactions"));
    assert.equal(judge.seen.length, Math.floor(1024 / 31));
  });

  it("validates nothing after it stopped", async () => {
    const judge = new Judge();
    const [gossip, giving] = gossipAmong(1, judge);
    gossip.stop();
    gossip.receive({ type: "block", block: encoded(1) }, giving!.peer);
    await settled(5);
    assert.deepEqual(judge.seen, []);
  });
});
