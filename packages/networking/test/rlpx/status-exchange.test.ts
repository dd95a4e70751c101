import assert from "node:assert/strict";
import type { Chain } from "@cambium/chain";
import type { RskMessage } from "@cambium/rlpx";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { emptyChain, Mine } from "@cambium/test-utils/mined-chains";
import type { NetworkEvent, PeerStatus } from "../../src/interface.js";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import { StatusExchange } from "../../src/rlpx/status-exchange.js";
import { tableOf } from "./parts.js";

const INTERVAL = 12_000;
const HASH = new Uint8Array(32).fill(7);

/** A peer that records the messages sent to it. */
class RecordingPeer {
  readonly sent: RskMessage[] = [];
  readonly direction = "outbound";
  status = { bestNumber: 0, totalDifficulty: 0n, earliestBody: 0 } as PeerStatus;
  readonly session = { notify: (message: RskMessage) => this.sent.push(message) > 0 };

  constructor(
    readonly id: string,
    readonly version: number,
    readonly isReady = true,
  ) {}

  get peer(): RlpxPeer {
    return this as unknown as RlpxPeer;
  }

  claim(claim: Partial<PeerStatus>): void {
    this.status = { ...this.status, ...claim };
  }

  markKnown = () => true;
  take = (type: RskMessage["type"]) => this.sent.splice(0).filter((message) => message.type === type);
}

describe("exchange of Status", () => {
  let chain: Chain;
  let clock: ManualClock;
  let events: NetworkEvent["kind"][];
  let readied: string[];
  let earliest: number;

  before(async () => {
    chain = await emptyChain();
    await new Mine(chain).blocks(3);
  });

  function exchangeWith(...peers: RecordingPeer[]): StatusExchange {
    clock = new ManualClock();
    events = [];
    readied = [];
    earliest = 0;
    return new StatusExchange({
      peers: tableOf(...peers.map(({ peer }) => peer)),
      sources: { chain, pooledTransaction: () => undefined, earliestBody: () => earliest },
      announce: ({ kind }) => void events.push(kind),
      ready: ({ id }) => void readied.push(id),
      endStalled: () => assert.fail("no peer is stalled"),
      clock,
    });
  }

  it("takes two elements, or no hash, for no claim yet", () => {
    const peer = new RecordingPeer("a", 63, false);
    const exchange = exchangeWith(peer);
    exchange.receive({ bestNumber: 9, bestHash: HASH }, peer.peer);
    assert.deepEqual(readied, ["a"]);
    exchange.receive({ bestNumber: 9, bestHash: new Uint8Array(0), totalDifficulty: 5n }, peer.peer);
    assert.deepEqual([peer.status.bestNumber, peer.status.totalDifficulty], [0, 0n]);
    exchange.receive({ bestNumber: 9, bestHash: HASH, totalDifficulty: 5n }, peer.peer);
    assert.deepEqual([peer.status.bestNumber, peer.status.totalDifficulty], [9, 5n]);
  });

  it("keeps the range of a peer until it says another one", () => {
    const peer = new RecordingPeer("a", 63);
    const exchange = exchangeWith(peer);
    const best = { bestNumber: 9, bestHash: HASH, totalDifficulty: 5n };
    const after = (step: () => void) => {
      step();
      return peer.status.earliestBody;
    };
    assert.equal(
      after(() => exchange.receive(best, peer.peer)),
      0,
    );
    assert.equal(
      after(() => exchange.receive({ ...best, earliestBlock: 4 }, peer.peer)),
      4,
    );
    assert.equal(
      after(() => exchange.receive(best, peer.peer)),
      4,
    );
    assert.equal(
      after(() => exchange.receiveRange({ earliest: 6, latest: 8, latestHash: HASH }, peer.peer)),
      6,
    );
    assert.equal(peer.status.bestNumber, 9);
    assert.deepEqual(events, new Array(4).fill("peerStatus"));
  });

  it("announces the lowest block that is served when it moves, to peers that read it", () => {
    const [old, current] = [new RecordingPeer("old", 62), new RecordingPeer("current", 63)];
    const exchange = exchangeWith(old, current);
    exchange.start();
    clock.pass(INTERVAL);
    assert.deepEqual(current.take("blockRange"), []);
    const { hash, header } = chain.best();
    for (const next of [2, 0]) {
      earliest = next;
      clock.pass(INTERVAL);
      assert.deepEqual(current.take("blockRange"), [
        { type: "blockRange", earliest: next, latest: header.number, latestHash: hash },
      ]);
      clock.pass(INTERVAL);
      assert.deepEqual(current.take("blockRange"), []);
    }
    assert.deepEqual(old.take("blockRange"), []);
    exchange.stop();
    assert.equal(clock.pending, 0);
  });
});
