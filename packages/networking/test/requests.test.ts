import assert from "node:assert/strict";
import { encodeRlp, keccak256 } from "@cambium/primitives";
import {
  codeOf,
  collect,
  type TestNode,
  type TestNodeOptions,
  TestNodes,
  until,
} from "@cambium/test-utils/peers/network-nodes";
import { data, RawPeer, refusal } from "@cambium/test-utils/peers/raw-peer";
import { frameOf } from "../src/libp2p/requests/frames.js";
import { hashesProtocol } from "../src/libp2p/wire/hashes.js";
import { transactionsProtocol } from "../src/libp2p/wire/transactions.js";
import { MAX_TRANSACTION_BYTES } from "../src/shared/limits.js";
import { type Timings, timingsOf } from "../src/shared/timings.js";

/** An RLP list of exactly this many bytes. */
function transactionOf(bytes: number, fill = 7): Uint8Array {
  for (let content = Math.max(0, bytes - 12); ; content++) {
    const encoded = encodeRlp([new Uint8Array(content).fill(fill)]);
    if (encoded.length === bytes) return encoded;
  }
}

/** Short time limits for responses only, so that a busy machine affects nothing else. */
function impatient(): Timings {
  const { frame, answer, firstByteFactor } = timingsOf(0.04);
  return { ...timingsOf(), frame, answer, firstByteFactor };
}

describe("requests", () => {
  const nodes = new TestNodes();
  const raw: RawPeer[] = [];

  afterEach(async () => {
    await nodes.end();
    for (const peer of raw.splice(0)) await peer.libp2p.stop();
  });

  /** Starts a node and a hostile peer of it. */
  async function meeting(options: TestNodeOptions = {}): Promise<[TestNode, RawPeer]> {
    const node = await nodes.start(options);
    const peer = await RawPeer.start();
    raw.push(peer);
    await peer.greet();
    await node.network.dial(peer.address);
    return [node, peer];
  }

  function cardOf(node: TestNode) {
    return node.scoring.peerList().find(({ type }) => type === "node")!;
  }

  describe("to a peer", () => {
    const ask = (node: TestNode, peer: RawPeer, hashes: Uint8Array[]) =>
      collect(node.network.transactions(peer.id, hashes));

    it("accept a frame of the largest size", async () => {
      const [node, peer] = await meeting();
      const transaction = transactionOf(MAX_TRANSACTION_BYTES);
      await peer.answer("txs", data(transaction));
      assert.deepEqual(await ask(node, peer, [keccak256(transaction)]), [transaction]);
    });

    it("refuse a frame that is one byte longer before its body arrives", async () => {
      const [node, peer] = await meeting();
      const frame = frameOf(data(transactionOf(MAX_TRANSACTION_BYTES + 1)));
      await peer.serve("txs", (stream) => void stream.send(frame.subarray(0, 3)));
      // The error is not REQUEST_TIMEOUT.
      assert.equal(await codeOf(ask(node, peer, [new Uint8Array(32)])), "INVALID_ANSWER");
      await until(() => node.network.peers().length === 0);
      assert.equal(cardOf(node).invalidMessages, 1);
      assert.equal(cardOf(node).goodReputation, true);
    });

    it("refuse more items than requested", async () => {
      const [node, peer] = await meeting();
      const transaction = transactionOf(40);
      const frame = data(transaction);
      await peer.answer("txs", frame, frame);
      assert.equal((await ask(node, peer, [keccak256(transaction), keccak256(transaction)])).length, 2);
      await peer.answer("txs", frame, frame, frame);
      const both = [keccak256(transaction), keccak256(transaction)];
      assert.equal(await codeOf(ask(node, peer, both)), "INVALID_ANSWER");
      await until(() => node.network.peers().length === 0);
    });

    it("refuse bytes that were not requested", async () => {
      const [node, peer] = await meeting();
      await peer.answer("txs", data(transactionOf(40)));
      assert.equal(await codeOf(ask(node, peer, [new Uint8Array(32)])), "INVALID_ANSWER");
    });

    it("refuse a truncated frame and an unknown result code", async () => {
      const [node, peer] = await meeting();
      await peer.serve("txs", async (stream) => {
        stream.send(Uint8Array.of(10, 0, 1));
        await stream.close();
      });
      assert.equal(await codeOf(ask(node, peer, [new Uint8Array(32)])), "INVALID_ANSWER");
      const [second, other] = await meeting();
      await other.answer("txs", refusal(5));
      assert.equal(await codeOf(ask(second, other, [new Uint8Array(32)])), "INVALID_ANSWER");
    });

    it("distinguish refusals", async () => {
      const [node, peer] = await meeting();
      const codeAfter = async (...frames: Uint8Array[]) => {
        await peer.answer("hashes", ...frames);
        return codeOf(node.network.hashes(peer.id, [0]));
      };
      assert.equal(await codeAfter(refusal(1, 256)), "INVALID_REQUEST");
      assert.equal(await codeAfter(refusal(2)), "NOT_AVAILABLE");
      assert.equal(await codeAfter(refusal(3)), "RATE_LIMITED");
      assert.equal(await codeAfter(refusal(4)), "SERVER_ERROR");
      assert.equal(await codeAfter(), "SERVER_ERROR");
      assert.equal(cardOf(node).unexpectedMessages, 2);
      assert.equal(await codeOf(node.network.skeleton(peer.id, 0, 1)), "NOT_AVAILABLE");
      assert.equal(await codeAfter(refusal(1, 257)), "INVALID_ANSWER");
      assert.equal(await codeOf(node.network.hashes(peer.id, [0])), "DISCONNECTED");
    });

    it("count what is not available as one of several items", async () => {
      const [node, peer] = await meeting();
      const transaction = transactionOf(40);
      await peer.answer("txs", refusal(2), data(transaction));
      const found = await ask(node, peer, [new Uint8Array(32), keccak256(transaction)]);
      assert.deepEqual(found, [undefined, transaction]);
    });

    it("time out; after five times the peer is not dialled for a while", async () => {
      const [node, peer] = await meeting({ timings: impatient() });
      await peer.serve("hashes", () => undefined);
      for (let i = 0; i < 5; i++) {
        assert.equal(node.network.peers().length, 1);
        assert.equal(await codeOf(node.network.hashes(peer.id, [0])), "REQUEST_TIMEOUT");
      }
      assert.equal(cardOf(node).timeoutMessages, 5);
      await until(() => node.network.peers().length === 0);
      assert.equal(cardOf(node).goodReputation, true);
    });

    it("time out between frames, and when frames never end", async () => {
      const [node, peer] = await meeting({ timings: impatient() });
      const transaction = transactionOf(40);
      await peer.serve("txs", (stream) => void stream.send(frameOf(data(transaction))));
      assert.equal(await codeOf(ask(node, peer, [keccak256(transaction)])), "REQUEST_TIMEOUT");
      await peer.serve("txs", (stream) => {
        const timer = setInterval(() => {
          if (stream.writeStatus === "writable") stream.send(frameOf(data(transaction)));
          else clearInterval(timer);
        }, 50);
      });
      // The whole answer is bounded, although it would be complete some time later.
      const many = new Array(256).fill(keccak256(transaction));
      assert.equal(await codeOf(ask(node, peer, many)), "REQUEST_TIMEOUT");
    });

    it("can be aborted", async () => {
      const [node, peer] = await meeting();
      await peer.serve("hashes", () => undefined);
      const controller = new AbortController();
      const asking = codeOf(node.network.hashes(peer.id, [0], controller.signal));
      const waiting = codeOf(node.network.hashes(peer.id, [0], controller.signal));
      setTimeout(() => controller.abort(), 50);
      assert.deepEqual(await Promise.all([asking, waiting]), ["ABORTED", "ABORTED"]);
      assert.equal(cardOf(node).timeoutMessages, 0);
    });

    it("pause a peer that sends faster than the caller reads", async () => {
      const [node, peer] = await meeting();
      const transactions = Array.from({ length: 30 }, (_, i) => transactionOf(MAX_TRANSACTION_BYTES - i, i));
      await peer.answer("txs", ...transactions.map(data));
      let count = 0;
      for await (const found of node.network.transactions(
        peer.id,
        transactions.map((one) => keccak256(one)),
      )) {
        assert.deepEqual(found, transactions[count]);
        if (count++ % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.equal(count, 30);
    });
  });

  describe("from peers", () => {
    const request = hashesProtocol.encodeRequest([0]);

    it("are refused before status", async () => {
      const node = await nodes.start({ timings: timingsOf(0.1) });
      const peer = await RawPeer.start();
      raw.push(peer);
      await peer.serve("status", () => undefined);
      const connection = await peer.dial(node);
      assert.equal((await peer.ask(connection, "hashes", request)).end, "reset");
      assert.equal(cardOf(node).unexpectedMessages, 1);
    });

    it("are answered up to the limit, refused above it, and finally end the connection", async () => {
      const [node, peer] = await meeting();
      const [connection] = peer.libp2p.getConnections();
      const many = hashesProtocol.encodeRequest(new Array(64).fill(0));
      // The limit is 128 heights in 10 s, and fifty times as many on development networks.
      let answered = 0;
      let last: Uint8Array | undefined;
      const start = Date.now();
      while (last === undefined || last[0] === 0) {
        ({
          frames: [last],
        } = await peer.ask(connection!, "hashes", many));
        if (last![0] === 0) answered++;
      }
      assert.equal(last[0], 3);
      assert.ok(answered >= 100 && answered <= 101 + (Date.now() - start) / 100, `${answered}`);
      assert.equal(cardOf(node).repeatedMessages, 1);
      while (node.network.peers().length === 1) await peer.ask(connection!, "hashes", many).catch(() => undefined);
      assert.equal(cardOf(node).repeatedMessages, 10);
    });

    it("end the connection when they are too long or malformed", async () => {
      for (const bytes of [new Uint8Array(1025), new Uint8Array(1024)]) {
        const [node, peer] = await meeting();
        await peer.ask(peer.libp2p.getConnections()[0]!, "hashes", bytes).catch(() => undefined);
        await until(() => node.network.peers().length === 0);
        assert.equal(cardOf(node).invalidMessages, 1);
      }
    });

    it("are reset when they do not arrive completely in time", async () => {
      const [, peer] = await meeting({ timings: timingsOf(0.05) });
      const stream = await peer.open(peer.libp2p.getConnections()[0]!, "hashes");
      stream.send(frameOf(request).subarray(0, 2));
      await until(() => stream.status === "reset");
    });

    it("have as many streams as their protocol allows", async () => {
      const [node, peer] = await meeting();
      const [connection] = peer.libp2p.getConnections();
      const first = await peer.open(connection!, "hashes");
      const second = await peer.open(connection!, "hashes").catch(() => undefined);
      if (second !== undefined) await until(() => second.status !== "open");
      assert.equal(first.status, "open");
      assert.equal(node.network.peers().length, 1);
    });

    it("end the connection when they use far more streams than allowed", async () => {
      const [node, peer] = await meeting();
      const [connection] = peer.libp2p.getConnections();
      const first = await peer.open(connection!, "hashes");
      let opened = 0;
      for (; connection!.status === "open" && opened < 500; opened++) {
        await peer.open(connection!, "hashes").catch(() => undefined);
      }
      assert.ok(opened > 64);
      await until(() => node.network.peers().length === 0);
      assert.ok(cardOf(node).repeatedMessages >= 10);
      assert.notEqual(first.status, "open");
    });

    it("are not answered twice at the same time", async () => {
      const transaction = transactionOf(MAX_TRANSACTION_BYTES);
      let reads = 0;
      const pooledTransaction = () => {
        reads++;
        return transaction;
      };
      const [node, peer] = await meeting({ sources: { pooledTransaction } });
      const connection = peer.libp2p.getConnections()[0]!;
      const [large, small] = [64, 1].map((count) =>
        transactionsProtocol.encodeRequest(new Array(count).fill(new Uint8Array(32))),
      );
      const stream = await peer.open(connection, "txs");
      stream.pause();
      stream.send(frameOf(large!));
      await stream.close();
      await until(() => reads > 0);
      const { frames } = await peer.ask(connection, "txs", large!);
      assert.deepEqual(
        frames.map(([code]) => code),
        [3],
      );
      assert.equal(cardOf(node).repeatedMessages, 1);
      assert.equal((await peer.ask(connection, "txs", small!)).frames[0]?.[0], 0);
      stream.abort(new Error("enough"));
      assert.equal((await peer.ask(connection, "txs", large!)).frames[0]?.[0], 0);
      assert.equal(cardOf(node).repeatedMessages, 1);
    });

    it("do not wait for a peer that does not read", async () => {
      const transaction = transactionOf(MAX_TRANSACTION_BYTES);
      let served = 0;
      const pooledTransaction = () => {
        served++;
        return transaction;
      };
      const [, peer] = await meeting({ timings: timingsOf(0.05), sources: { pooledTransaction } });
      const stream = await peer.open(peer.libp2p.getConnections()[0]!, "txs");
      stream.pause();
      stream.send(frameOf(transactionsProtocol.encodeRequest(new Array(256).fill(new Uint8Array(32)))));
      await stream.close();
      await until(() => stream.status === "reset");
      assert.ok(served < 32, `${served}`);
    });

    it("fail independently", async () => {
      const pooledTransaction = () => {
        throw new Error("the pool is on fire");
      };
      const [node, other] = await nodes.pair({ sources: { pooledTransaction } });
      const asking = collect(other.network.transactions(node.network.ownId, [new Uint8Array(32)]));
      assert.equal(await codeOf(asking), "SERVER_ERROR");
      assert.equal((await other.network.hashes(node.network.ownId, [0])).length, 1);
    });
  });
});
