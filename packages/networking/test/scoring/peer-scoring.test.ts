import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodePoint, toHex } from "@cambium/primitives";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { NetworkingError, openPeerScoring, type RunningPeerScoring, type ScoringEvent } from "../../src/index.js";
import type { PeerScoringOptions } from "../../src/scoring/peer-scoring.js";

const START = 1_795_000_000_000;
const FIRST_PUNISHMENT = 720_000;
const IP = "10.1.2.3";

async function generatePeer(type: "secp256k1" | "Ed25519" = "secp256k1") {
  const key = await (type === "secp256k1" ? generateKeyPair(type) : generateKeyPair(type));
  return { id: peerIdFromPrivateKey(key).toString(), publicKey: key.publicKey.raw };
}

describe("peer scoring", () => {
  let folder: string;
  let now: number;
  let opened: RunningPeerScoring[];
  let peer: string;
  let warnings: string[];

  before(async () => {
    peer = (await generatePeer()).id;
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "scoring-"));
    now = START;
    opened = [];
    warnings = [];
  });

  afterEach(() => {
    for (const scoring of opened) scoring.close();
    rmSync(folder, { recursive: true });
  });

  function open(options: Partial<PeerScoringOptions> = {}): RunningPeerScoring {
    const logger = { warn: (_details: object, message: string) => warnings.push(message) };
    const scoring = openPeerScoring({
      folder,
      bannedPeers: [],
      bannedAddresses: [],
      now: () => now,
      logger,
      ...options,
    });
    opened.push(scoring);
    return scoring;
  }

  function recordAll(scoring: RunningPeerScoring, ...events: readonly ScoringEvent[]): void {
    for (const event of events) scoring.record({ peer, ip: IP }, event);
  }

  it("counts for the peer and for its address, and reports both", () => {
    const scoring = open();
    recordAll(scoring, "VALID_BLOCK", "INVALID_TRANSACTION", "INVALID_BLOCK");
    const expected = {
      successfulHandshakes: 0,
      failedHandshakes: 0,
      invalidNetworks: 0,
      repeatedMessages: 0,
      validBlocks: 1,
      validTransactions: 0,
      invalidBlocks: 1,
      invalidTransactions: 1,
      invalidMessages: 0,
      timeoutMessages: 0,
      unexpectedMessages: 0,
      invalidHeader: 0,
      score: -2,
      punishments: 1,
      goodReputation: false,
      punishedUntil: START + 1_440_000,
    };
    const [node, address, ...others] = scoring.peerList();
    assert.deepEqual(others, []);
    assert.deepEqual(node, { ...expected, id: node!.id, type: "node", peer });
    assert.deepEqual(address, { ...expected, id: IP, type: "address" });
    assert.deepEqual(scoring.reputationSummary(), {
      count: 2,
      successfulHandshakes: 0,
      failedHandshakes: 0,
      invalidHeader: 0,
      validBlocks: 2,
      invalidBlocks: 2,
      validTransactions: 0,
      invalidTransactions: 2,
      invalidNetworks: 0,
      invalidMessages: 0,
      repeatedMessages: 0,
      timeoutMessages: 0,
      unexpectedMessages: 0,
      peersTotalScore: -4,
      punishments: 2,
      goodReputationCount: 0,
      badReputationCount: 2,
    });
  });

  it("counts for the known part of a subject", () => {
    const scoring = open();
    scoring.record({ ip: IP }, "FAILED_HANDSHAKE");
    scoring.record({ peer }, "SUCCESSFUL_HANDSHAKE");
    assert.deepEqual(
      scoring
        .peerList()
        .map(({ type, failedHandshakes, successfulHandshakes }) => [type, failedHandshakes, successfulHandshakes]),
      [
        ["node", 0, 1],
        ["address", 1, 0],
      ],
    );
  });

  it("reports a node by the first digits of its public key, or by the multihash of another key type", async () => {
    const scoring = open();
    const [secp256k1, other] = [await generatePeer(), await generatePeer("Ed25519")];
    for (const { id } of [secp256k1, other]) scoring.record({ peer: id }, "VALID_BLOCK");
    const point = toHex(decodePoint(secp256k1.publicKey)!);
    assert.deepEqual(
      scoring.peerList().map(({ id }) => id),
      [point.slice(0, 8), `002408011220${toHex(other.publicKey)}`],
    );
  });

  it("changes scores by events", () => {
    const scoreOf = (...events: ScoringEvent[]) => {
      const scoring = open({ folder: join(folder, events.join()) });
      recordAll(scoring, ...events);
      return scoring.score(peer);
    };
    const NEUTRAL: readonly ScoringEvent[] = [
      "UNEXPECTED_MESSAGE",
      "FAILED_HANDSHAKE",
      "SUCCESSFUL_HANDSHAKE",
      "REPEATED_MESSAGE",
      "TIMEOUT_MESSAGE",
      "INCOMPATIBLE_PROTOCOL",
      "UNEXPECTED_GENESIS",
    ];
    assert.equal(scoreOf("VALID_BLOCK", "VALID_TRANSACTION"), 2);
    assert.equal(scoreOf("VALID_BLOCK", "VALID_BLOCK", "INVALID_TRANSACTION"), -1);
    assert.equal(scoreOf("INVALID_TRANSACTION", "VALID_BLOCK"), -1);
    assert.equal(scoreOf("INVALID_NETWORK", "INVALID_BLOCK", "INVALID_MESSAGE", "INVALID_HEADER"), -4);
    for (const event of NEUTRAL) assert.equal(scoreOf("VALID_BLOCK", event), 1, event);
    assert.equal(open().score("unknown"), 0);
  });

  it("punishes an UNREADABLE_MESSAGE only if it is repeated within an hour", () => {
    const HOUR = 3_600_000;
    const scoring = open();
    for (let i = 0; i < 3; i++) {
      recordAll(scoring, "UNREADABLE_MESSAGE");
      assert.deepEqual([scoring.isGoodPeer(peer), scoring.isGoodAddress(IP)], [true, true]);
      now += HOUR;
    }
    recordAll(scoring, "UNREADABLE_MESSAGE");
    // Other events do not turn the first unreadable message into a repeated one.
    recordAll(scoring, "INVALID_TRANSACTION", "TIMEOUT_MESSAGE");
    assert.ok(scoring.isGoodPeer(peer));
    assert.equal(scoring.peerList()[0]!.invalidMessages, 4);
    now += HOUR - 1;
    recordAll(scoring, "UNREADABLE_MESSAGE");
    assert.deepEqual([scoring.isGoodPeer(peer), scoring.isGoodAddress(IP)], [false, false]);
    const { punishedUntil } = scoring.peerList()[0]!;
    now = punishedUntil;
    assert.ok(scoring.isGoodPeer(peer));
    recordAll(scoring, "UNREADABLE_MESSAGE");
    // The message that began the punishment is now older than an hour.
    assert.equal(scoring.isGoodPeer(peer), true);
  });

  it("blames an address for peers that send one UNREADABLE_MESSAGE each", () => {
    const scoring = open();
    for (const one of ["a", "b"]) scoring.record({ peer: one, ip: IP }, "UNREADABLE_MESSAGE");
    assert.deepEqual(
      [scoring.isGoodPeer("a"), scoring.isGoodPeer("b"), scoring.isGoodAddress(IP)],
      [true, true, false],
    );
  });

  for (const event of ["INVALID_BLOCK", "INVALID_MESSAGE", "INVALID_HEADER"] as const) {
    it(`punishes ${event} for its time, then forgets what was counted`, () => {
      const scoring = open();
      recordAll(scoring, event);
      now += FIRST_PUNISHMENT - 1;
      assert.deepEqual([scoring.isGoodPeer(peer), scoring.isGoodAddress(IP)], [false, false]);
      now += 1;
      const [report] = scoring.peerList();
      assert.deepEqual([report!.score, report!.goodReputation, report!.punishedUntil], [-1, true, 0]);
      const [later] = scoring.peerList();
      assert.deepEqual([later!.score, later!.punishments, later!.goodReputation], [0, 1, true]);
      assert.ok(scoring.isGoodAddress(IP));
      recordAll(scoring, event);
      assert.equal(scoring.peerList()[0]!.punishedUntil, now + 792_000);
    });
  }

  it("does not begin a punishment during another, nor with other events", () => {
    const scoring = open();
    recordAll(scoring, "INVALID_TRANSACTION", "INVALID_NETWORK", "TIMEOUT_MESSAGE", "FAILED_HANDSHAKE");
    assert.ok(scoring.isGoodPeer(peer));
    recordAll(scoring, "INVALID_BLOCK", "INVALID_BLOCK", "INVALID_HEADER");
    const [report] = scoring.peerList();
    assert.deepEqual([report!.punishments, report!.punishedUntil], [1, START + 3 * FIRST_PUNISHMENT]);
  });

  it("counts for loopback addresses without ever punishing them", () => {
    const scoring = open();
    for (const ip of ["127.0.0.1", "::1", "::ffff:127.0.0.9"]) {
      for (let i = 0; i < 10; i++) scoring.record({ peer, ip }, "INVALID_BLOCK");
      assert.ok(scoring.isGoodAddress(ip));
    }
    assert.ok(!scoring.isGoodPeer(peer));
    assert.deepEqual(
      scoring.peerList().map(({ type, punishments, invalidBlocks }) => [type, punishments, invalidBlocks]),
      [
        ["node", 1, 30],
        ["address", 0, 10],
        ["address", 0, 10],
        ["address", 0, 10],
      ],
    );
  });

  it("knows an address however it is written", () => {
    const scoring = open();
    scoring.record({ ip: `::ffff:${IP}` }, "INVALID_BLOCK");
    scoring.record({ ip: "2001:DB8:0::1" }, "INVALID_BLOCK");
    assert.deepEqual([IP, "2001:db8::1"].map(scoring.isGoodAddress, scoring), [false, false]);
    assert.ok(scoring.isGoodAddress("not an address"));
  });

  it("bans configured peers", async () => {
    const scoring = open({ bannedPeers: [peer] });
    assert.ok(!scoring.isGoodPeer(peer));
    assert.ok(scoring.isGoodPeer((await generatePeer()).id));
    assert.throws(() => open({ bannedPeers: ["no-peer-id"] }), { code: "INVALID_OPTION" });
  });

  it("bans addresses at once and notifies listeners", () => {
    const scoring = open({ bannedAddresses: ["10.1.2.4"] });
    const states: boolean[] = [];
    const stop = scoring.onBad((isBad) => states.push(isBad({ peer, ip: IP }), isBad({ peer, ip: "10.2.0.1" })));
    scoring.banAddress("10.1.0.0/16");
    assert.deepEqual(states, [true, false]);
    assert.deepEqual([scoring.isBannedAddress(IP), scoring.isGoodAddress(IP)], [true, false]);
    scoring.unbanAddress("10.1.0.0/16");
    assert.deepEqual([scoring.isBannedAddress(IP), scoring.isBannedAddress("10.1.2.4")], [false, true]);
    recordAll(scoring, "INVALID_BLOCK");
    assert.deepEqual(states, [true, false, true, true]);
    stop();
    scoring.banAddress("10.2.0.1");
    assert.equal(states.length, 4);
    assert.throws(() => scoring.banAddress("192.168.56.1/a"), NetworkingError);
    assert.throws(() => open({ bannedAddresses: ["localhost"] }), NetworkingError);
  });

  it("clears by address, peer id and node id", async () => {
    const scoring = open();
    const other = await generatePeer();
    recordAll(scoring, "INVALID_BLOCK");
    scoring.record({ peer: other.id }, "INVALID_BLOCK");
    scoring.clearPeerScoring(IP);
    assert.ok(scoring.isGoodAddress(IP));
    scoring.clearPeerScoring(peer);
    assert.ok(scoring.isGoodPeer(peer));
    scoring.clearPeerScoring("0badc0de");
    assert.equal(scoring.peerList().length, 1);
    scoring.clearPeerScoring(toHex(decodePoint(other.publicKey)!));
    assert.deepEqual(scoring.peerList(), []);
  });

  it("limits its tables, and keeps punished subjects", () => {
    const scoring = open();
    recordAll(scoring, "INVALID_BLOCK");
    for (let i = 0; i < 5_000; i++) {
      scoring.record({ peer: `peer ${i}`, ip: `11.0.${i >> 8}.${i & 255}` }, "VALID_BLOCK");
      scoring.score("peer 0");
    }
    const reports = scoring.peerList();
    assert.equal(reports.filter(({ type }) => type === "node").length, 1000);
    assert.equal(reports.filter(({ type }) => type === "address").length, 4096);
    assert.deepEqual([scoring.isGoodPeer(peer), scoring.isGoodAddress(IP)], [false, false]);
    assert.deepEqual(["peer 0", "peer 1", "peer 4999"].map(scoring.score, scoring), [1, 0, 1]);
  });

  it("does not evict punished subjects for new ones", () => {
    const scoring = open();
    for (let i = 0; i < 1_100; i++) scoring.record({ peer: `peer ${i}` }, "INVALID_BLOCK");
    assert.deepEqual(["peer 0", "peer 999", "peer 1000"].map(scoring.isGoodPeer, scoring), [false, false, true]);
    now += FIRST_PUNISHMENT;
    scoring.record({ peer: "peer 1000" }, "INVALID_BLOCK");
    assert.ok(!scoring.isGoodPeer("peer 1000"));
    assert.equal(scoring.peerList().length, 1000);
  });

  it("is stored across restarts", () => {
    const first = open({ bannedAddresses: ["9.9.9.9"] });
    recordAll(first, "VALID_TRANSACTION", "INVALID_HEADER");
    first.record({ ip: "10.9.9.9" }, "TIMEOUT_MESSAGE");
    first.banAddress("10.7.0.0/16");
    const reports = first.peerList();
    first.close();
    assert.deepEqual(readdirSync(folder), ["scoring.json"]);

    const second = open();
    assert.deepEqual(second.peerList(), reports);
    assert.deepEqual(second.bannedAddresses(), ["10.7.0.0/16"]);
    assert.deepEqual([second.isGoodPeer(peer), second.isGoodAddress("10.7.7.7")], [false, false]);
    now += FIRST_PUNISHMENT;
    assert.ok(second.isGoodPeer(peer));
    second.unbanAddress("10.7.0.0/16");
    second.close();
    assert.deepEqual(open().bannedAddresses(), []);
    assert.deepEqual(warnings, []);
  });

  it("writes nothing if nothing changed", () => {
    open().close();
    assert.ok(!existsSync(join(folder, "scoring.json")));
  });

  it("ignores a damaged file and replaces it", () => {
    const path = join(folder, "scoring.json");
    const whole = open();
    recordAll(whole, "INVALID_BLOCK");
    whole.close();
    const text = readFileSync(path, "utf8");
    const damaged = [
      "",
      text.slice(0, -5),
      "[]",
      "null",
      text.replace('"version":1', '"version":2'),
      text.replace('"score":-1', '"score":"-1"'),
      text.replace('"INVALID_BLOCK":1', '"INVALID_BLOCK":-1'),
      text.replace('"banned":[]', '"banned":["here"]'),
    ];
    for (const [i, content] of damaged.entries()) {
      writeFileSync(path, content);
      const scoring = open();
      assert.deepEqual(scoring.peerList(), [], content);
      assert.equal(warnings.length, i + 1);
    }
    const scoring = open();
    recordAll(scoring, "VALID_BLOCK");
    scoring.close();
    assert.equal(open().score(peer), 1);
  });

  it("continues if it cannot write", () => {
    writeFileSync(join(folder, "file"), "");
    const scoring = open({ folder: join(folder, "file") });
    recordAll(scoring, "VALID_BLOCK");
    scoring.close();
    assert.deepEqual(warnings.length, 2);
    assert.equal(scoring.score(peer), 1);
  });
});
