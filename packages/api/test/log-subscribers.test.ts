import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ChainEvent, storedBlock } from "@cambium/chain";
import { bigintToFixedBytes } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, TOPIC_A } from "@cambium/test-utils/api/fake-chain";
import { ClientBudget } from "../src/limits/client-budget.js";
import type { LogMatch } from "../src/logs/log-filter.js";
import { keysOf, LogMatcher } from "../src/logs/log-matcher.js";
import { ChainFeed } from "../src/sources/chain-feed.js";
import { SubscriptionHub } from "../src/subscriptions/hub.js";
import { LogSubscribers } from "../src/subscriptions/log-subscribers.js";

const topic = (number: number) => bigintToFixedBytes(BigInt(number), 32);
const ANYTHING: LogMatch = { addresses: undefined, topics: [] };

describe("log subscribers", () => {
  const subscriber = (match: Partial<LogMatch>) => ({ matcher: new LogMatcher({ ...ANYTHING, ...match }) });

  it("are found by address, topic or neither", () => {
    const subscribers = new LogSubscribers<ReturnType<typeof subscriber>>();
    const [ofAddress, ofTopic, ofSecond, ofAll] = [
      subscriber({ addresses: [CONTRACT, topic(1).slice(12)] }),
      subscriber({ topics: [[TOPIC_A, topic(2)]] }),
      subscriber({ topics: [null, [TOPIC_A]] }),
      subscriber({}),
    ];
    for (const one of [ofAddress, ofTopic, ofSecond, ofAll]) subscribers.add(one);
    for (let i = 0; i < 10_000; i++) subscribers.add(subscriber({ topics: [[topic(10 + i)]] }));
    const found = (...log: Parameters<typeof makeLog>) => [...subscribers.candidates(keysOf(makeLog(...log)))];
    assert.deepEqual(found(CONTRACT, [TOPIC_A]), [ofAddress, ofTopic, ofAll]);
    assert.deepEqual(found(new Uint8Array(20), [topic(3), TOPIC_A]), [ofSecond, ofAll]);
    assert.equal(found(new Uint8Array(20), [topic(10)]).length, 2);
    for (const one of [ofAddress, ofTopic, ofSecond, ofAll]) subscribers.delete(one);
    assert.deepEqual(found(CONTRACT, [TOPIC_A]), []);
  });
});

describe("the hub of subscriptions", () => {
  function hubOver(limit: number) {
    const chain = new FakeChain();
    let emit: (event: ChainEvent) => void = () => undefined;
    const events = {
      on: (listener: (event: ChainEvent) => void) => {
        emit = listener;
        return () => undefined;
      },
    };
    const hub = new SubscriptionHub(
      { feed: new ChainFeed(chain.reader(), events), headObject: () => ({}) },
      new ClientBudget(limit),
    );
    const extend = (...logs: Parameters<FakeChain["extend"]>) => {
      const block = chain.extend(...logs);
      emit({ kind: "newHead", ...storedBlock(block, chain.reader().receipts(block.hash)!, "sync") });
    };
    return { hub, extend };
  }

  const client = (share: string) => ({ identity: share, share });

  it("limits what a client's subscriptions hold, until they end", () => {
    const { hub } = hubOver(8_000_000);
    const match = { addresses: undefined, topics: [Array.from({ length: 900 }, (_, i) => topic(i))] };
    const subscribe = (share: string) => hub.subscribe({ kind: "logs", match }, () => undefined, client(share));
    const first = subscribe("greedy");
    assert.throws(() => subscribe("greedy"), { code: "SERVER_ERROR" });
    subscribe("other");
    first.end();
    first.end();
    subscribe("greedy");
    assert.throws(() => subscribe("greedy"), { code: "SERVER_ERROR" });
  });

  it("leaves turns to others while it notifies many, none of whom receives an earlier event", async () => {
    const { hub, extend } = hubOver(100_000_000);
    let received = 0;
    const deliver = () => {
      const end = performance.now() + 0.1;
      while (performance.now() < end);
      received++;
    };
    for (let i = 0; i < 1000; i++) hub.subscribe({ kind: i % 2 === 0 ? "newHeads" : "syncing" }, deliver);
    for (let i = 0; i < 500; i++) hub.subscribe({ kind: "logs", match: ANYTHING }, deliver);
    extend([[makeLog(CONTRACT)]]);
    assert.ok(received < 1000);
    const late: string[] = [];
    hub.subscribe({ kind: "newHeads" }, (message) => late.push(message));
    hub.subscribe({ kind: "logs", match: ANYTHING }, (message) => late.push(message));
    let turns = 0;
    for (; received < 1000; turns++) await nextTurn();
    assert.ok(turns > 2);
    assert.deepEqual(late, []);
    extend([[makeLog(CONTRACT)]]);
    while (late.length < 2) await nextTurn();
    hub.close();
  });
});
