import assert from "node:assert/strict";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { encodeMessage } from "../../src/rsk/encoding.js";
import type { RskMessage, RskNotification } from "../../src/rsk/messages.js";
import { MAX_QUEUED_ANSWERS } from "../../src/rsk/outgoing-queue.js";
import { PACE_LIMIT, PACE_WINDOW } from "../../src/rsk/sending-pace.js";
import { SessionUnderTest, settled } from "./session-parts.js";

const HASH = new Uint8Array(32).fill(7);
const EMPTY_LIST = Uint8Array.of(0xc0);
const MINUTE = 60_000;

const hashAnswer = (id: bigint): RskMessage => ({ type: "blockHashResponse", id, hash: HASH });
const bodyAnswer = (id: bigint) =>
  ({ type: "bodyResponse", id, transactions: [], uncles: EMPTY_LIST, extension: undefined }) as const;
const announcement: RskNotification = { type: "newBlockHashes", blocks: [{ hash: HASH, number: 5 }] };

/** Returns the current outcome of a promise: its value, the code of its error, or "pending". */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise.catch((error) => error.code), settled().then(() => "pending")]);
}

function askHashes(test: SessionUnderTest, count: number) {
  return Array.from({ length: count }, (_, height) => test.session.request("blockHashRequest", { height }));
}

describe("requests of a session", () => {
  it("matches answers in any order by id and type", async () => {
    const test = new SessionUnderTest();
    const first = test.session.request("blockHashRequest", { height: 5 });
    const second = test.session.request("bodyRequest", { hash: HASH });
    assert.deepEqual(test.sent, [
      { type: "blockHashRequest", id: 1n, height: 5 },
      { type: "bodyRequest", id: 2n, hash: HASH },
    ]);
    test.receive(hashAnswer(2n));
    test.receive(bodyAnswer(2n));
    test.receive(hashAnswer(1n));
    assert.deepEqual(await second, bodyAnswer(2n));
    assert.deepEqual(await first, hashAnswer(1n));
    assert.deepEqual(test.unexpected, [hashAnswer(2n)]);
  });

  it("takes silence for an answer after the time-out", async () => {
    const test = new SessionUnderTest();
    const silent = test.session.request("blockHashRequest", { height: 0 });
    const short = test.session.request("blockHashRequest", { height: 0 }, { timeout: 500 });
    test.clock.pass(499);
    assert.equal(await outcome(short), "pending");
    test.clock.pass(1);
    assert.equal(await outcome(short), undefined);
    test.clock.pass(29_499);
    assert.equal(await outcome(silent), "pending");
    test.clock.pass(1);
    assert.equal(await outcome(silent), undefined);
    assert.equal(test.clock.pending, 0);
  });

  it("reports answers that were not requested, but not late ones", async () => {
    const test = new SessionUnderTest();
    const [late] = askHashes(test, 1);
    test.clock.pass(30_000);
    assert.equal(await late, undefined);
    test.receive(bodyAnswer(1n));
    test.receive(hashAnswer(1n));
    assert.deepEqual(test.unexpected, [bodyAnswer(1n)]);
    test.receive(hashAnswer(1n));
    test.receive(hashAnswer(99n));
    assert.deepEqual(test.unexpected.slice(1), [hashAnswer(1n), hashAnswer(99n)]);
  });

  it("ends when the signal aborts", async () => {
    const test = new SessionUnderTest();
    const controller = new AbortController();
    const request = test.session.request("blockHashRequest", { height: 5 }, { signal: controller.signal });
    controller.abort();
    assert.equal(await outcome(request), "ABORTED");
    assert.equal(
      await outcome(test.session.request("snapStatusRequest", {}, { signal: controller.signal })),
      "ABORTED",
    );
    test.receive(hashAnswer(1n));
    assert.deepEqual(test.unexpected, []);
    assert.equal(test.clock.pending, 0);
  });

  it("bounds the requests in flight", async () => {
    const test = new SessionUnderTest();
    const requests = askHashes(test, 129);
    assert.equal(await outcome(requests[128]!), "TOO_MANY_REQUESTS");
    assert.equal(await outcome(requests[127]!), "pending");
    test.receive(hashAnswer(1n));
    assert.equal(await outcome(test.session.request("blockHashRequest", { height: 5 })), "pending");
  });

  it("does not blame the peer for a request that could not be sent", async () => {
    const test = new SessionUnderTest();
    test.channel.isBlocking = true;
    const [sent, queued] = askHashes(test, 2);
    assert.equal(test.sent.length, 1);
    test.clock.pass(30_000);
    assert.equal(await outcome(sent!), undefined);
    assert.equal(await outcome(queued!), "TOO_MANY_REQUESTS");
    await test.channel.drain();
    assert.equal(test.sent.length, 1);
    test.receive(hashAnswer(2n));
    assert.deepEqual(test.unexpected, [hashAnswer(2n)]);
  });

  it("rejects all on closing", async () => {
    const test = new SessionUnderTest();
    const requests = askHashes(test, 2);
    test.session.close("done");
    test.session.close("again");
    for (const request of requests) assert.equal(await outcome(request), "CLOSED");
    assert.equal(await outcome(test.session.request("blockHashRequest", { height: 5 })), "CLOSED");
    assert.equal(test.session.notify(announcement), false);
    assert.equal(test.session.respond(bodyAnswer(1n)), false);
    test.receive(announcement);
    assert.deepEqual(test.notifications, []);
    assert.deepEqual(test.channel.closings, ["done"]);
    assert.equal(test.clock.pending, 0);
  });
});

describe("messages of the peer", () => {
  it("passes requests and notifications to their handlers", () => {
    const test = new SessionUnderTest();
    const messages: RskMessage[] = [
      {
        type: "networkStatus",
        protocolVersion: 62,
        networkId: 775,
        totalDifficulty: 5n,
        bestHash: HASH,
        genesisHash: HASH,
      },
      { type: "status", bestNumber: 5, bestHash: HASH, bestParentHash: HASH, totalDifficulty: 5n },
      { type: "getBlock", hash: HASH },
      { type: "bodyRequest", id: 2n ** 63n - 1n, hash: HASH },
      announcement,
    ];
    for (const message of [...messages, messages[0]!]) test.receive(message);
    assert.deepEqual(test.requests, [messages[2], messages[3]]);
    assert.deepEqual(test.notifications, [messages[0], messages[1], messages[4], messages[0]]);
  });

  it("closes on a message that does not decode", async () => {
    for (const [code, payload] of [
      [0x11, EMPTY_LIST],
      [0x18, EMPTY_LIST],
    ] as const) {
      const test = new SessionUnderTest();
      const [request] = askHashes(test, 1);
      test.session.receive(code, payload);
      assert.equal(test.malformed[0]!.code, "MALFORMED");
      assert.equal(test.channel.closings.length, 1);
      assert.equal(await outcome(request!), "CLOSED");
    }
  });

  it("survives handlers that fail", async () => {
    const fail = () => {
      throw new Error("expected");
    };
    const test = new SessionUnderTest({ onRequest: async () => fail(), onNotification: fail, onUnexpected: fail });
    for (let i = 0; i < 200; i++) {
      test.receive({ type: "getBlock", hash: HASH });
      test.receive(announcement);
      test.receive(hashAnswer(9n));
      await settled();
    }
    assert.equal(test.session.refusedRequests, 0);
    assert.deepEqual(test.channel.closings, []);
  });

  it("bounds their rate", () => {
    const test = new SessionUnderTest();
    for (let i = 0; i < 1010; i++) test.receive(announcement);
    assert.deepEqual([test.notifications.length, test.excess], [1000, 10]);
    for (let second = 0; second < 20; second++) {
      test.clock.pass(1000);
      for (let i = 0; i < 200; i++) test.receive(announcement);
    }
    assert.deepEqual([test.notifications.length, test.excess], [5000, 10]);
    test.receive(announcement);
    assert.equal(test.excess, 11);
  });

  it("refuses requests while too many are unanswered", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const test = new SessionUnderTest({ onRequest: () => gate });
    for (let id = 0n; id < 200n; id++) test.receive({ type: "bodyRequest", id, hash: HASH });
    assert.equal(test.session.refusedRequests, 200 - MAX_QUEUED_ANSWERS);
    release();
    await settled();
    test.receive({ type: "bodyRequest", id: 1n, hash: HASH });
    assert.equal(test.session.refusedRequests, 200 - MAX_QUEUED_ANSWERS);
  });
});

describe("messages to the peer", () => {
  it("sends the most urgent first", async () => {
    const test = new SessionUnderTest();
    test.channel.isBlocking = true;
    test.session.notify({ type: "transactions", transactions: [] });
    test.session.notify({ type: "getBlock", hash: HASH });
    void test.session.request("blockHashRequest", { height: 5 });
    test.session.notify({ type: "transactions", transactions: [EMPTY_LIST] });
    test.session.respond(bodyAnswer(3n));
    test.session.notify(announcement);
    await test.channel.drain();
    assert.deepEqual(
      test.sent.map(({ type }) => type),
      ["transactions", "newBlockHashes", "bodyResponse", "transactions", "getBlock", "blockHashRequest"],
    );
  });

  it("bounds what waits, by count and bytes", () => {
    const test = new SessionUnderTest();
    test.channel.isBlocking = true;
    test.session.notify(announcement);
    const queued = (send: () => boolean) => {
      let count = 0;
      while (count < 10_000 && send()) count++;
      return count;
    };
    const block = new Uint8Array(3 * 2 ** 20);
    block.set([0xfa, 0x2f, 0xff, 0xfc]);
    const large = { transactions: [block], uncles: EMPTY_LIST, extension: undefined };
    assert.equal(
      queued(() => test.session.respond({ type: "bodyResponse", id: 1n, ...large })),
      2,
    );
    assert.equal(
      queued(() => test.session.notify(announcement)),
      64,
    );
    assert.equal(
      queued(() => test.session.notify({ type: "transactions", transactions: [] })),
      256,
    );
    assert.equal(test.session.refusedRequests, 1);
  });

  it("notes the bytes that wait", async () => {
    const test = new SessionUnderTest();
    test.channel.isBlocking = true;
    test.session.notify(announcement);
    assert.equal(test.channel.waiting, 0);
    const transactions = { type: "transactions", transactions: [EMPTY_LIST] } as const;
    test.session.notify(transactions);
    assert.equal(test.channel.waiting, encodeMessage(transactions).payload.length);
    await test.channel.drain();
    assert.equal(test.channel.waiting, 0);
  });

  it("drops answers that come too late", async () => {
    const test = new SessionUnderTest();
    test.channel.isBlocking = true;
    test.session.notify(announcement);
    test.session.respond(bodyAnswer(1n));
    test.clock.pass(10_000);
    test.session.respond(bodyAnswer(2n));
    test.clock.pass(11_000);
    await test.channel.drain();
    assert.deepEqual(test.sent.slice(1), [bodyAnswer(2n)]);
    assert.equal(test.session.refusedRequests, 1);
  });

  it("keeps announcements going during bulk requests", () => {
    const test = new SessionUnderTest();
    let answered = 0;
    for (let time = 0; time < 5 * MINUTE; time += 100) {
      for (const request of askHashes(test, 5)) request.catch(() => undefined);
      for (; answered < test.channel.sent.length; answered++) {
        const { message } = test.channel.sent[answered]!;
        if (message.type === "blockHashRequest") test.receive(hashAnswer(message.id));
      }
      if (time % 1200 === 0) {
        test.session.notify(announcement);
        assert.deepEqual(test.channel.sent.at(-1), { time, message: announcement });
      }
      test.clock.pass(100);
    }
    assert(answered >= 5 * 840, `${answered}`);
  });

  it("answers one request after another at the full rate, none late", () => {
    const test: SessionUnderTest = new SessionUnderTest({
      onRequest: (request) => void test.session.respond(bodyAnswer("id" in request ? request.id : 0n)),
    });
    const { clock, channel } = test;
    let asked = 0n;
    let longest = 0;
    while (clock.now() < 10 * MINUTE) {
      const start = clock.now();
      test.receive({ type: "bodyRequest", id: ++asked, hash: HASH });
      while (BigInt(channel.sent.length) < asked) clock.pass(1);
      longest = Math.max(longest, clock.now() - start);
      clock.pass(25);
    }
    assert(longest <= 151, `${longest} ms`);
    assert(asked >= 8700n && asked <= 9200n, `${asked}`);
  });

  it("never sends more than 900 in 60 s, nor an answer late, whatever the load", () => {
    const next = random(SEED);
    const arrivals = new Map<bigint, number>();
    const test: SessionUnderTest = new SessionUnderTest({
      onRequest: (request) => void test.session.respond(bodyAnswer("id" in request ? request.id : 0n)),
    });
    const { clock, channel } = test;
    let id = 0n;
    for (let phase = 0; phase < 60; phase++) {
      const [bodies, requests, length] = [Math.floor(15 * next() ** 3), Math.floor(4 * next() ** 3), next() * 20_000];
      for (const end = clock.now() + length; clock.now() < end; clock.pass(20 + next() * 60)) {
        for (let i = 0; i < bodies; i++) {
          arrivals.set(++id, clock.now());
          test.receive({ type: "bodyRequest", id, hash: HASH });
        }
        for (const request of askHashes(test, requests)) request.catch(() => undefined);
        if (next() < 0.02) test.session.notify(announcement);
      }
    }
    const { sent } = channel;
    assert(sent.length > 5000, `${sent.length}`);
    for (let i = PACE_LIMIT; i < sent.length; i++) {
      assert(sent[i]!.time - sent[i - PACE_LIMIT]!.time >= PACE_WINDOW);
    }
    for (const { time, message } of sent) {
      if (message.type === "bodyResponse") assert(time - arrivals.get(message.id)! <= 20_001);
    }
  });
});
