import assert from "node:assert/strict";
import type { NetworkEvent, Peer } from "@cambium/networking";
import { LimitedLines, toData } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import type { PoolEvent, TransactionPool } from "@cambium/txpool";
import { signTransaction } from "@cambium/types";
import { type Logger, pino } from "pino";
import { reportPeers } from "../src/reports/peer-report.js";
import { reportPool } from "../src/reports/pool-report.js";
import { type Resources, watchResources } from "../src/reports/resource-watch.js";

/** A logger, and the messages of its lines. */
function recorded(level = "info"): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}

const PEER = {
  id: "16Ui",
  address: { ip: "::1", port: 30330 },
  direction: "inbound",
  wire: "libp2p",
  status: { clientId: "Other/1", bestNumber: 7 },
} as Peer;

function peerNetwork(peers: Peer[]) {
  let listener: (event: NetworkEvent) => void = () => undefined;
  const network = {
    peers: () => peers,
    on(added: (event: NetworkEvent) => void) {
      listener = added;
      return () => undefined;
    },
  };
  return { network, emit: (event: NetworkEvent) => listener(event) };
}

/** Creates a source of events for listeners. */
function listened<Event>() {
  let listener: (event: Event) => void = () => undefined;
  const pool = {
    on(added: (event: Event) => void) {
      listener = added;
      return () => undefined;
    },
  };
  return { pool, emit: (event: Event) => listener(event) };
}

const ALONE = {
  wires: ["libp2p"] as const,
  bootNodes: [],
  rlpx: { hosts: [], port: 0, publicHost: undefined, nodes: [], bootNodes: [] },
  discovery: true,
};

describe("limited lines", () => {
  it("count what they omit, and begin anew in the next window", () => {
    const clock = new ManualClock();
    const omitted: number[] = [];
    const lines = new LimitedLines({ lines: 2, window: 1000 }, (count) => omitted.push(count), clock);
    assert.deepEqual(
      [1, 2, 3, 4].map(() => lines.admit()),
      [true, true, false, false],
    );
    clock.pass(1000);
    assert.deepEqual(omitted, [2]);
    assert.equal(lines.admit(), true);
    clock.pass(1000);
    assert.deepEqual(omitted, [2]);
  });
});

describe("the log of peers", () => {
  it("says who comes and goes, and why", () => {
    const { logger, lines } = recorded();
    const { network, emit } = peerNetwork([PEER]);
    const { end } = reportPeers(network, ALONE, logger, new ManualClock());
    emit({ kind: "peerConnected", peer: PEER });
    emit({ kind: "peerStatus", peer: PEER });
    emit({ kind: "peerDisconnected", peer: PEER, reason: "too slow" });
    end();
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ["Peer connected", "Peer lost"],
    );
    assert.equal(lines[0]!.address, "[::1]:30330");
    assert.equal(lines[1]!.reason, "too slow");
  });

  it("stays short in a flood of peers", () => {
    const { logger, lines } = recorded();
    const { network, emit } = peerNetwork([PEER]);
    const clock = new ManualClock();
    const { end } = reportPeers(network, ALONE, logger, clock);
    for (let i = 0; i < 5000; i++) emit({ kind: i % 2 === 0 ? "peerConnected" : "peerDisconnected", peer: PEER });
    clock.pass(60_000);
    end();
    assert(lines.length < 30, `${lines.length} lines`);
    assert.equal(lines.at(-1)!.events, 5000 - 20);
  });

  it("names the flags that help while there is no peer", () => {
    const { logger, lines } = recorded();
    const { network } = peerNetwork([]);
    const clock = new ManualClock();
    const { end } = reportPeers(network, ALONE, logger, clock);
    assert.match(String(lines[0]!.msg), /no boot nodes.*--p2p\.bootnodes/);
    clock.pass(300_000);
    assert.equal(lines.length, 2);
    end();
    clock.pass(300_000);
    assert.equal(lines.length, 2);
  });

  it("says that boot nodes are not asked without discovery", () => {
    const { logger, lines } = recorded();
    const bootNodes = [{ host: "boot.example", port: 5050 }];
    const options = { ...ALONE, wires: ["rlpx"] as const, rlpx: { ...ALONE.rlpx, bootNodes }, discovery: false };
    reportPeers(peerNetwork([]).network, options, logger, new ManualClock()).end();
    assert.match(
      String(lines[0]!.msg),
      /no boot nodes.*not asked because of --p2p\.static: leave it out, or name a node/,
    );
  });

  it("waits for the boot nodes before it does so", () => {
    const { logger, lines } = recorded();
    const { network } = peerNetwork([]);
    const clock = new ManualClock();
    const options = { ...ALONE, bootNodes: ["/ip4/192.0.2.1/tcp/1/p2p/16Ui"] };
    const { end, advice } = reportPeers(network, options, logger, clock);
    assert.deepEqual([lines.length, advice()], [0, undefined]);
    clock.pass(10_000);
    assert.equal(advice(), lines[0]!.msg);
    assert.match(String(lines[0]!.msg), /no boot node has answered.*firewall/);
    end();
  });
});

describe("the log of the pool", () => {
  it("names each slow transaction that is evicted, and stays short in a flood of them", () => {
    const { logger, lines } = recorded();
    const { pool, emit } = listened<PoolEvent>();
    const end = reportPool(pool as unknown as TransactionPool, logger);
    const key = new Uint8Array(32).fill(1);
    const slow = signTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: 90_000n, to: new Uint8Array(20).fill(7) }, key);
    emit({ kind: "evicted", transactions: [slow], reason: "unusable" });
    assert.deepEqual(lines, []);
    emit({ kind: "evicted", transactions: [slow], reason: "slow" });
    const { level, msg, hash, from, to, gasLimit } = lines[0]!;
    assert.deepEqual(
      [level, msg, hash, from, to, gasLimit],
      [
        40,
        "Evicted a transaction that takes too long to execute; its sender is refused for some time",
        toData(slow.hash),
        toData(slow.sender!),
        `0x${"07".repeat(20)}`,
        "90000",
      ],
    );
    for (let i = 0; i < 1000; i++) emit({ kind: "evicted", transactions: [slow], reason: "slow" });
    assert.equal(lines.length, 20);
    end();
  });
});

describe("the watch on resources", () => {
  const PLENTY: Resources = { diskFree: 1e12, memoryFree: 1e12, heapUsed: 1, heapLimit: 1e9 };

  it("warns of a full disk, memory and heap once an hour, and again after they were not", () => {
    const { logger, lines } = recorded("warn");
    const clock = new ManualClock();
    let found: Resources = { ...PLENTY, diskFree: 1e9 };
    const end = watchResources("/data", logger, clock, () => found);
    for (let i = 0; i < 10; i++) clock.pass(60_000);
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]!.msg), /^Little disk space: 1\.0 GB free in \/data\..*--data-dir$/);
    found = PLENTY;
    clock.pass(60_000);
    found = { diskFree: 1e9, memoryFree: 1e6, heapUsed: 95, heapLimit: 100 };
    clock.pass(60_000);
    assert.equal(lines.length, 4);
    for (let i = 0; i < 60; i++) clock.pass(60_000);
    assert.equal(lines.length, 7);
    end();
  });
});
