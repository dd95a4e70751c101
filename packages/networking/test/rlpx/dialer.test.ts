import assert from "node:assert/strict";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { settled } from "@cambium/test-utils/turning-clock";
import { PUBLIC_LIMITS } from "../../src/options.js";
import { DialSchedule } from "../../src/peers/dial-schedule.js";
import type { EclipseWatch } from "../../src/peers/eclipse-watch.js";
import { Dialer } from "../../src/rlpx/dialer.js";
import type { RlpxGate } from "../../src/rlpx/gate.js";
import type { DialTarget } from "../../src/shared/dial-target.js";
import { peerAt, tableOf, targetAt } from "./parts.js";

const INTERVAL = 5000;
const FIRST_DELAY = 2500;
const LONGEST_DELAY = 60_000;

interface DialerOptions {
  fixed?: readonly DialTarget[];
  discovered?: readonly DialTarget[];
  bootNodes?: readonly DialTarget[];
  limits?: Partial<typeof PUBLIC_LIMITS>;
}

/** A dialer whose dials the test completes. */
class Dialling {
  readonly clock = new ManualClock();
  readonly peers = tableOf();
  readonly schedule = new DialSchedule(() => this.clock.now(), { first: FIRST_DELAY, longest: LONGEST_DELAY });
  readonly dials: DialTarget[] = [];
  readonly replaced: string[] = [];
  readonly dialer: Dialer;
  isEclipsed = false;
  private readonly ends: ((error?: Error) => void)[] = [];

  constructor({ fixed = [], discovered = [], bootNodes = [], limits = {} }: DialerOptions) {
    this.dialer = new Dialer({
      peers: this.peers,
      gate: { mayDial: (id: string) => this.peers.get(id) === undefined } as unknown as RlpxGate,
      limits: { ...PUBLIC_LIMITS, ...limits },
      fixed,
      discovered: () => discovered,
      bootNodes: () => bootNodes,
      eclipse: { isPossible: () => this.isEclipsed } as EclipseWatch,
      disconnect: (peer) => {
        this.replaced.push(peer.id);
        this.peers.delete(peer);
      },
      dialSchedule: this.schedule,
      dial: (target) => {
        this.dials.push(target);
        return new Promise((resolve, reject) => {
          this.ends.push((error) => (error === undefined ? resolve(undefined) : reject(error)));
        });
      },
      clock: this.clock,
      interval: INTERVAL,
      logger: SILENT,
    });
  }

  ids(): string[] {
    return this.dials.splice(0).map(({ id }) => id);
  }

  /** Lets all dials in progress succeed. */
  async connect(direction: "inbound" | "outbound" = "outbound"): Promise<void> {
    for (const target of this.dials) this.peers.set(peerAt(target, direction));
    for (const end of this.ends.splice(0)) end();
    await settled(5);
  }

  async fail(): Promise<void> {
    for (const end of this.ends.splice(0)) end(new Error("refused"));
    await settled(5);
  }
}

describe("dialer of deployed nodes", () => {
  it("dials fixed nodes at once, and again once they are lost", async () => {
    const [one, two] = [targetAt(1, 1), targetAt(1, 2)];
    const dialling = new Dialling({ fixed: [one, two], limits: { target: 0, minimumOutbound: 0 } });
    dialling.dialer.start();
    await dialling.connect();
    assert.deepEqual(dialling.ids(), [one.id, two.id]);
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.ids(), []);
    dialling.peers.delete(dialling.peers.get(two.id)!);
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.ids(), [two.id]);
    dialling.dialer.stop();
    assert.equal(dialling.clock.pending, 0);
  });

  it("waits longer after each failure", async () => {
    const dialling = new Dialling({ fixed: [targetAt(1, 1)] });
    dialling.dialer.start();
    const times: number[] = [];
    for (let round = 0; round < 60; round++) {
      if (dialling.ids().length > 0) times.push(dialling.clock.now() / 1000);
      await dialling.fail();
      dialling.clock.pass(INTERVAL);
    }
    assert.deepEqual(times.slice(0, 6), [0, 5, 10, 20, 40, 80]);
    assert.equal(times.at(-1)! - times.at(-2)!, LONGEST_DELAY / 1000);
    dialling.dialer.stop();
  });

  it("does not dial a node twice at the same time, and at most eight at once", async () => {
    const discovered = Array.from({ length: 12 }, (_, i) => targetAt(i, 1));
    const dialling = new Dialling({ discovered });
    dialling.dialer.start();
    assert.equal(dialling.ids().length, 8);
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.ids(), []);
    await dialling.fail();
    dialling.clock.pass(1);
    dialling.clock.pass(INTERVAL - 1);
    const next = dialling.ids();
    assert.equal(next.length, 8);
    assert.equal(new Set(next).size, 8);
    dialling.dialer.stop();
  });

  it("prefers nodes of subnets that it has not dialled", async () => {
    const connected = targetAt(1, 1);
    const discovered = [targetAt(1, 2), targetAt(2, 1), targetAt(2, 2), targetAt(3, 1)];
    const dialling = new Dialling({ discovered });
    dialling.peers.set(peerAt(connected, "outbound"));
    dialling.dialer.start();
    assert.deepEqual(dialling.ids(), ["2-1", "3-1", "1-2", "2-2"]);
    dialling.dialer.stop();
  });

  it("looks for no other nodes while it has enough", () => {
    const dialling = new Dialling({ discovered: [targetAt(2, 1)], limits: { target: 1, minimumOutbound: 1 } });
    dialling.peers.set(peerAt(targetAt(1, 1), "inbound"));
    dialling.dialer.start();
    assert.deepEqual(dialling.ids(), ["2-1"]);
    dialling.peers.set(peerAt(targetAt(1, 2), "outbound"));
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.ids(), []);
    dialling.dialer.stop();
  });

  it("dials boot nodes when it may be isolated, in the place of other peers but fixed ones", async () => {
    const [boot, fixed] = [targetAt(9, 1), targetAt(8, 1)];
    const limits = { target: 1, minimumOutbound: 1, maximum: 3 };
    const dialling = new Dialling({ fixed: [fixed], discovered: [targetAt(7, 1)], bootNodes: [boot], limits });
    for (const target of [fixed, targetAt(1, 1), targetAt(1, 2)]) dialling.peers.set(peerAt(target, "outbound"));
    dialling.dialer.start();
    assert.deepEqual(dialling.ids(), []);
    dialling.peers.set(peerAt(targetAt(1, 3), "inbound"));
    dialling.isEclipsed = true;
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.replaced, ["1-1"]);
    await dialling.connect();
    assert.deepEqual(dialling.ids(), [boot.id]);
    dialling.clock.pass(INTERVAL);
    assert.deepEqual(dialling.replaced, ["1-1"]);
    assert.deepEqual(dialling.ids(), []);
    dialling.dialer.stop();
  });

  it("dials a lost inbound peer back before it dials again", () => {
    const target = targetAt(1, 1);
    const dialling = new Dialling({});
    dialling.dialer.start();
    dialling.dialer.redial(target.id);
    dialling.dialer.remember(target);
    dialling.dialer.redial(target.id);
    assert.deepEqual(dialling.ids(), []);
    dialling.clock.pass(250);
    assert.deepEqual(dialling.ids(), [target.id]);
    dialling.dialer.stop();
  });

  it("forgets such a peer when it stops, and one that must not be dialled", () => {
    const [one, two] = [targetAt(1, 1), targetAt(1, 2)];
    const dialling = new Dialling({});
    dialling.dialer.start();
    for (const target of [one, two]) dialling.dialer.remember(target);
    dialling.schedule.forbid(one.id, 60_000);
    dialling.dialer.redial(one.id);
    dialling.clock.pass(250);
    assert.deepEqual(dialling.ids(), []);
    dialling.dialer.redial(two.id);
    dialling.dialer.stop();
    dialling.dialer.redial(two.id);
    dialling.clock.pass(1000);
    assert.deepEqual(dialling.ids(), []);
    assert.equal(dialling.clock.pending, 0);
  });
});
