import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { concatBytes, EMPTY_BYTES, fromHex, utf8 } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { RlpxError } from "../../src/errors.js";
import { EMPTY_LIST, PING, PONG } from "../../src/transport/base-protocol.js";
import type { CloseReason, RlpxConnection } from "../../src/transport/connection.js";
import { DISCONNECT_REASONS } from "../../src/transport/disconnect.js";
import { HeldBytes } from "../../src/transport/held-bytes.js";
import { agreementKey } from "../../src/transport/key-agreement.js";
import { listenRlpx, type RlpxListener, type RlpxListenerOptions } from "../../src/transport/listener.js";
import { acceptRlpx, dialRlpx } from "../../src/transport/open-connection.js";
import { DEFAULT_TIMEOUTS } from "../../src/transport/options.js";
import { newIdentity, optionsWith } from "./options.js";

/** A connection whose events are recorded. */
class Watched {
  readonly messages: [code: number, payload: Uint8Array][] = [];
  closed: CloseReason | undefined;

  constructor(readonly connection: RlpxConnection) {}

  start(): this {
    this.connection.start({
      onMessage: (code, payload) => void this.messages.push([code, payload]),
      onClose: (reason) => {
        assert.equal(this.closed, undefined);
        this.closed = reason;
      },
    });
    return this;
  }

  async end(): Promise<CloseReason> {
    await waitUntil(() => this.closed !== undefined);
    return this.closed!;
  }
}

const isFailure =
  (stage: string, reason = /./) =>
  (error: unknown) =>
    error instanceof RlpxError &&
    error.details.code === "HANDSHAKE_FAILED" &&
    error.details.stage === stage &&
    reason.test(error.details.reason);

describe("connections", () => {
  const cleanUps: (() => void)[] = [];
  const identity = newIdentity();

  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp();
  });

  async function listen(changes: Partial<RlpxListenerOptions> = {}) {
    const accepted: RlpxConnection[] = [];
    const failures: RlpxError[] = [];
    const listener = await listenRlpx({
      ...optionsWith({ identity }),
      host: "127.0.0.1",
      port: 0,
      mayAccept: () => true,
      onConnection: (connection) => void accepted.push(connection),
      onFailedHandshake: (_, error) => void failures.push(error),
      ...changes,
    });
    cleanUps.push(() => {
      listener.close();
      for (const connection of accepted) connection.destroy();
    });
    return { listener, accepted, failures };
  }

  async function dial(listener: RlpxListener, changes: Partial<Parameters<typeof dialRlpx>[0]> = {}) {
    const target = { host: "127.0.0.1", port: listener.port, remoteId: identity.nodeId };
    const connection = await dialRlpx({ ...optionsWith(), ...target, ...changes });
    cleanUps.push(() => connection.destroy());
    return connection;
  }

  /** Both ends of a connection. */
  async function pair(changes: Partial<RlpxListenerOptions> = {}): Promise<[dialler: Watched, acceptor: Watched]> {
    const { listener, accepted } = await listen(changes);
    const dialler = new Watched(await dial(listener, changes.clock && { clock: changes.clock }));
    await waitUntil(() => accepted.length === 1);
    return [dialler, new Watched(accepted[0]!)];
  }

  /** A raw node and this side of its connection, after Hello. */
  async function rawPair(changes: Partial<RlpxListenerOptions> = {}): Promise<[RawRlpxPeer, Watched]> {
    const { listener, accepted } = await listen(changes);
    const node = await (await RawRlpxPeer.dial({ port: listener.port, remoteId: identity.nodeId })).greet();
    cleanUps.push(() => node.socket.destroy());
    await waitUntil(() => accepted.length === 1);
    return [node, new Watched(accepted[0]!).start()];
  }

  it("end when the peer is probed and silent, but not when it answers", async () => {
    const clock = new ManualClock();
    const [node, watched] = await rawPair({ clock });
    const count = (code: number) => node.codes().filter((one) => one === code).length;
    const { probe } = DEFAULT_TIMEOUTS;
    watched.connection.probe();
    watched.connection.probe();
    await waitUntil(() => count(PING) === 1);
    node.send(PING, EMPTY_LIST);
    await waitUntil(() => count(PONG) === 1);
    clock.pass(2 * probe);
    assert.equal(watched.closed, undefined);
    const pings = count(PING);
    watched.connection.probe();
    clock.pass(probe);
    await waitUntil(() => count(PING) >= pings + 2);
    assert.equal(watched.closed, undefined);
    clock.pass(probe);
    assert.deepEqual(await watched.end(), { kind: "time-out", what: "idle" });
  });

  it("know each other after Hello", async () => {
    const own = newIdentity();
    const { listener, accepted } = await listen();
    const dialled = await dial(listener, { identity: own });
    await waitUntil(() => accepted.length === 1);
    const [inbound] = accepted;
    assert.deepEqual(dialled.remoteId, identity.nodeId);
    assert.deepEqual(inbound!.remoteId, own.nodeId);
    assert.deepEqual([dialled.direction, inbound!.direction], ["outbound", "inbound"]);
    assert.deepEqual(dialled.remoteAddress, { ip: "127.0.0.1", port: listener.port });
    assert.equal(inbound!.remoteAddress.ip, "127.0.0.1");
    assert.deepEqual(
      [inbound!.hello.clientId, inbound!.hello.listenPort, inbound!.hello.p2pVersion],
      ["test", 5050, 4],
    );
  });

  it("carry messages of any size in order, in both directions", async () => {
    const next = random(SEED);
    const [a, b] = await pair();
    const sent = Array.from({ length: 60 }, (_, i): [number, Uint8Array] => [
      0x10 + (i % 9),
      new Uint8Array(Math.floor(next() ** 4 * 300_000)).fill(i),
    ]);
    for (const [code, payload] of sent) {
      a.connection.send(code, payload);
      b.connection.send(code, payload);
    }
    a.start();
    b.start();
    await waitUntil(() => a.messages.length === sent.length && b.messages.length === sent.length);
    assert.deepEqual(a.messages, sent);
    assert.deepEqual(b.messages, sent);
    assert.throws(() => a.connection.send(0x0f, EMPTY_BYTES), RlpxError);
    assert.throws(() => a.connection.send(0x18, new Uint8Array(2 ** 23)), RlpxError);
  });

  it("deliver nothing while paused, and slow the sender down", async () => {
    const [a, b] = await pair();
    b.start().connection.pause();
    const part = new Uint8Array(500_000);
    let sent = 1;
    while (a.connection.send(0x18, part)) sent++;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(b.messages, []);
    for (; a.connection.pendingBytes < 14_000_000; sent++) a.connection.send(0x18, part);
    let isDrained = false;
    const drained = a.connection.drained().then(() => (isDrained = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isDrained, false);
    b.connection.resume();
    await drained;
    assert.ok(a.connection.pendingBytes <= 2 ** 20);
    await waitUntil(() => b.messages.length === sent);
  });

  it("keep messages that arrive before the start", async () => {
    const [a, b] = await pair();
    for (const code of [0x10, 0x18]) a.connection.send(code, new Uint8Array(100_000));
    b.connection.pause();
    b.connection.resume();
    await new Promise((resolve) => setTimeout(resolve, 30));
    b.start();
    await waitUntil(() => b.messages.length === 2);
  });

  it("may be paused by the handler of a message", async () => {
    const [a, b] = await pair();
    const codes: number[] = [];
    b.connection.start({
      onMessage: (code) => {
        codes.push(code);
        b.connection.pause();
      },
      onClose: () => {},
    });
    for (const code of [0x10, 0x11, 0x12]) a.connection.send(code, EMPTY_BYTES);
    for (let count = 1; count <= 3; count++) {
      await waitUntil(() => codes.length === count);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(codes.length, count);
      b.connection.resume();
    }
    assert.deepEqual(codes, [0x10, 0x11, 0x12]);
  });

  it("report the reason of a Disconnect at both sides, after what was sent before", async () => {
    const [a, b] = await pair();
    a.start();
    b.start();
    a.connection.send(0x18, new Uint8Array(400_000));
    a.connection.disconnect(DISCONNECT_REASONS.tooManyPeers);
    assert.equal(a.connection.send(0x18, EMPTY_BYTES), false);
    assert.deepEqual(await b.end(), { kind: "disconnected", reason: 4 });
    assert.deepEqual(await a.end(), { kind: "disconnect-sent", reason: 4 });
    assert.equal(b.messages.length, 1);
  });

  it("close after a Disconnect even if the peer stays", async () => {
    const clock = new ManualClock();
    const [node, own] = await rawPair({ clock });
    node.socket.pause();
    own.connection.disconnect(DISCONNECT_REASONS.peerQuitting);
    node.send(2, fromHex("c0"));
    await new Promise((resolve) => setTimeout(resolve, 30));
    clock.pass(1000);
    assert.deepEqual(await own.end(), { kind: "disconnect-sent", reason: 8 });
    assert.equal(clock.pending, 0);
  });

  it("notify an owner that starts late of their end", async () => {
    const [a, b] = await pair();
    a.connection.destroy();
    b.connection.destroy();
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal((await a.start().end()).kind, "destroyed");
    assert.equal((await b.start().end()).kind, "destroyed");
  });

  it("survive a handler that throws, except the one that it belongs to", async () => {
    const errors: unknown[] = [];
    const logger = { ...SILENT, error: (details: object) => void errors.push(details) };
    const { listener, accepted } = await listen({ logger });
    const [first, second] = [new Watched(await dial(listener)), new Watched(await dial(listener))];
    await waitUntil(() => accepted.length === 2);
    accepted[0]!.start({
      onMessage: () => {
        throw new Error("bug");
      },
      onClose: () => {
        throw new Error("another");
      },
    });
    const other = new Watched(accepted[1]!).start();
    for (const { connection } of [first.start(), second.start()]) connection.send(0x10, EMPTY_BYTES);
    assert.equal((await first.end()).kind, "closed");
    await waitUntil(() => other.messages.length === 1 && errors.length === 2);
    assert.equal(second.closed, undefined);
  });

  it("are accepted on IPv4 and IPv6 at the same port", async () => {
    const ipv6 = await listen({ host: "::" });
    const ipv4 = await listen({ host: "0.0.0.0", port: ipv6.listener.port });
    await dial(ipv4.listener, { host: "127.0.0.1" });
    await dial(ipv6.listener, { host: "::1" });
    await waitUntil(() => ipv4.accepted.length === 1 && ipv6.accepted.length === 1);
  });

  it("answer pings at once, and send a ping only after the last was answered", async () => {
    const clock = new ManualClock();
    const [node, own] = await rawPair({ clock });
    node.send(2, fromHex("c6010283616263"));
    await waitUntil(() => node.codes().includes(3));
    clock.pass(1999);
    assert.equal(own.connection.pendingBytes, 0);
    clock.pass(1);
    await waitUntil(() => node.codes().includes(2));
    clock.pass(1.5 * DEFAULT_TIMEOUTS.ping);
    node.send(3, fromHex("c0"));
    node.send(0x18, EMPTY_BYTES);
    await waitUntil(() => own.messages.length === 1);
    clock.pass(DEFAULT_TIMEOUTS.ping);
    await waitUntil(() => node.codes().filter((code) => code === 2).length === 2);
    assert.deepEqual(node.codes(), [0, 3, 2, 2]);
  });

  it("close when the peer sends no frame for 300 seconds", async () => {
    const clock = new ManualClock();
    const [node, own] = await rawPair({ clock });
    clock.pass(290_000);
    node.send(4, fromHex("c0"));
    node.send(0x18, EMPTY_BYTES);
    await waitUntil(() => own.messages.length === 1);
    clock.pass(299_999);
    node.socket.write(node.message(2, fromHex("c0")).subarray(0, 40));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(own.closed, undefined);
    clock.pass(DEFAULT_TIMEOUTS.ping + 1);
    assert.deepEqual(await own.end(), { kind: "time-out", what: "idle" });
    assert.equal(clock.pending, 0);
  });

  it("close when the peer does not read for 30 seconds, or too much is queued", async () => {
    const clock = new ManualClock();
    const [node, own] = await rawPair({ clock });
    node.socket.pause();
    const part = new Uint8Array(1_000_000);
    while (own.connection.pendingBytes < 2_000_000) own.connection.send(0x18, part);
    const drained = own.connection.drained();
    clock.pass(29_999);
    assert.equal(own.closed, undefined);
    clock.pass(1);
    assert.deepEqual(await own.end(), { kind: "time-out", what: "stalled" });
    await drained;

    const [silent, other] = await rawPair({ clock });
    silent.socket.pause();
    for (let i = 0; i < 40; i++) other.connection.send(0x18, part);
    assert.ok(other.connection.pendingBytes <= 2 ** 24);
    assert.deepEqual(await other.end(), { kind: "queue-full" });
  });

  it("close, the one that holds most first, when all hold too much", async () => {
    const heldBytes = new HeldBytes(3 * 2 ** 20);
    const [sending, incoming] = await rawPair({ heldBytes });
    const [silent, outgoing] = await rawPair({ heldBytes });
    // A frame whose end never arrives.
    const frame = sending.message(0x18, new Uint8Array(2 ** 21));
    sending.socket.write(frame.subarray(0, -1));
    await waitUntil(() => heldBytes.total > 2 ** 21);
    assert.equal(incoming.closed, undefined);
    silent.socket.pause();
    outgoing.connection.noteWaiting(2 ** 20);
    assert.deepEqual(await incoming.end(), { kind: "memory" });
    assert.equal(heldBytes.total, 2 ** 20);
    for (let i = 0; i < 8; i++) outgoing.connection.send(0x18, new Uint8Array(2 ** 20));
    assert.deepEqual(await outgoing.end(), { kind: "memory" });
    assert.equal(heldBytes.total, 0);
  });

  describe("with a peer that violates the protocol", () => {
    const c0 = fromHex("c0");
    const CLOSED: Record<string, (node: RawRlpxPeer) => Uint8Array> = {
      "code 6": (node) => node.message(6, c0),
      "code 15": (node) => node.message(15, c0),
      "Disconnect without a reason": (node) => node.message(1, c0),
      "a wrong MAC of a header": (node) => node.message(2, c0).map((byte, i) => (i === 20 ? byte ^ 1 : byte)),
      "a wrong MAC of a body": (node) => node.message(2, c0).map((byte, i) => (i === 60 ? byte ^ 1 : byte)),
      "header data that is no RLP": (node) => node.message(0x18, c0, fromHex("f9ffff01")),
      "a message split in two": (node) => node.message(0x18, fromHex("c7c608"), fromHex("c3800108")),
      "a body of 8 MiB": (node) => node.frame({ size: "800000", body: EMPTY_BYTES }),
      "a body of 16 MiB": (node) => node.frame({ size: "ffffff", body: EMPTY_BYTES }),
      "an empty body": (node) => node.frame({ size: "000000", body: EMPTY_BYTES }),
      "a flood of pings": (node) => concatBytes(...Array.from({ length: 101 }, () => node.message(2, c0))),
      garbage: () => new Uint8Array(1000).fill(0x5a),
    };
    for (const [what, bytes] of Object.entries(CLOSED)) {
      it(`closes after ${what}`, async () => {
        const [node, own] = await rawPair();
        node.socket.write(bytes(node));
        assert.equal((await own.end()).kind, "violation");
        await waitUntil(() => node.isClosed);
        assert.ok(!node.codes().includes(1));
      });
    }

    it("sends Disconnect after a second Hello, also with the code 00", async () => {
      const second = [
        (node: RawRlpxPeer) => node.message(0, node.hello()),
        (node: RawRlpxPeer) => node.frame({ body: fromHex("00c0") }),
      ];
      for (const bytes of second) {
        const [node, own] = await rawPair();
        node.socket.write(bytes(node));
        assert.deepEqual(await own.end(), { kind: "disconnect-sent", reason: 0 });
        await waitUntil(() => node.isClosed);
        assert.deepEqual(Buffer.from(node.received.at(-1)!.payload).toString("hex"), "c180");
      }
    });

    it("goes on after what the reference client tolerates", async () => {
      const [node, own] = await rawPair();
      for (let i = 0; i < 20; i++) node.send(2, c0);
      for (const code of [3, 4, 5]) node.send(code, c0);
      node.socket.write(node.frame({ body: fromHex("820002c0") }));
      for (const headerData of ["c0", "c28080", "c3800108"]) node.send(0x18, new Uint8Array(8), fromHex(headerData));
      await waitUntil(() => own.messages.length === 3 && node.codes().length === 22);
      assert.equal(own.closed, undefined);
    });
  });

  describe("that are not established", () => {
    type Case = [what: string, send: (node: RawRlpxPeer) => Uint8Array, reason: RegExp, disconnect?: string];
    const c0 = fromHex("c0");
    const REFUSED: readonly Case[] = [
      ["p2p version 3", (node) => node.message(0, node.hello({ p2pVersion: 3 })), /version 3/],
      ["p2p version 6", (node) => node.message(0, node.hello({ p2pVersion: 6 })), /version 6/],
      ["no capability", (node) => node.message(0, node.hello({ capabilities: [] })), /rsk\/62/],
      ["rsk/63", (node) => node.message(0, node.hello({ capabilities: [{ name: "rsk", version: 63 }] })), /rsk\/62/],
      ["another node id", (node) => node.message(0, node.hello({ nodeId: new Uint8Array(64) })), /node id/, "c109"],
      ["a short node id", (node) => node.message(0, node.hello({ nodeId: new Uint8Array(3) })), /node id/, "c109"],
      ["a Hello of 4 items", (node) => node.message(0, fromHex("ca0478c6c58372736b3e01")), /items/],
      ["a Hello above the limit", (node) => node.message(0, node.hello({ clientId: "x".repeat(9000) })), /TOO_LARGE/],
      ["Ping", (node) => node.message(2, c0), /0x2 instead of Hello/],
      ["Status", (node) => node.message(0x10, c0), /0x10 instead of Hello/],
      ["Disconnect", (node) => node.message(1, fromHex("c104")), /tooManyPeers/],
      ["garbage", () => new Uint8Array(200), /MAC/],
    ];
    for (const [what, send, reason, disconnect] of REFUSED) {
      it(`refuse ${what} instead of Hello`, async () => {
        const { listener, accepted, failures } = await listen();
        const node = await RawRlpxPeer.dial({ port: listener.port, remoteId: identity.nodeId });
        node.socket.write(send(node));
        await waitUntil(() => failures.length === 1 && node.isClosed);
        assert.ok(isFailure("hello", reason)(failures[0]), failures[0]!.message);
        assert.deepEqual(accepted, []);
        const last = node.received.at(-1);
        assert.equal(last?.code === 1 ? Buffer.from(last.payload).toString("hex") : undefined, disconnect);
      });
    }

    it("accept a Hello with version 5, more capabilities, a long client id or further items", async () => {
      const { listener, accepted } = await listen();
      const more = [
        { name: "eth", version: 62 },
        { name: "rsk", version: 62 },
        { name: "rsk", version: 63 },
      ];
      for (const changes of [{ p2pVersion: 5 }, { capabilities: more }, { clientId: "x".repeat(5000) }]) {
        await (await RawRlpxPeer.dial({ port: listener.port, remoteId: identity.nodeId })).greet(changes);
      }
      await waitUntil(() => accepted.length === 3);
    });

    it("end when the auth is not complete in time", async () => {
      const clock = new ManualClock();
      const { listener, failures } = await listen({ clock });
      const socket = connect(listener.port, "127.0.0.1");
      socket.on("error", () => {}).resume();
      for (let i = 0; i < 8; i++) {
        await waitUntil(() => clock.pending === 1);
        socket.write(Uint8Array.of(1));
        await new Promise((resolve) => setTimeout(resolve, 5));
        clock.pass(999);
      }
      assert.deepEqual(failures, []);
      clock.pass(8);
      await waitUntil(() => failures.length === 1 && socket.destroyed);
      assert.ok(isFailure("auth", /8000 ms/)(failures[0]));
      assert.equal(clock.pending, 0);
    });

    it("end at once after an auth that cannot be read", async () => {
      const { listener, failures } = await listen();
      const inputs = [utf8("GET / HTTP/1.1\r\n".padEnd(320, "a")), new Uint8Array(400), new Uint8Array(1100).fill(4)];
      for (const [i, input] of inputs.entries()) {
        const socket = connect(listener.port, "127.0.0.1");
        socket
          .on("error", () => {})
          .resume()
          .write(input);
        await waitUntil(() => failures.length === i + 1 && socket.destroyed);
        assert.ok(isFailure("auth")(failures[i]));
      }
    });

    it("are closed silently if their address is refused", async () => {
      const asked: string[] = [];
      const { listener } = await listen({ mayAccept: (ip) => asked.push(ip) < 0 });
      await assert.rejects(dial(listener), isFailure("ack"));
      assert.deepEqual(asked, ["127.0.0.1"]);
    });

    it("make room for others, the oldest first, if too many are pending", async () => {
      for (const limit of [{ maximumPending: 2 }, { maximumPendingPerHost: 2 }]) {
        const { listener, accepted, failures } = await listen(limit);
        const sockets: Socket[] = [];
        for (let i = 0; i < 3; i++) {
          const socket = connect(listener.port, "127.0.0.1");
          sockets.push(socket.on("error", () => {}).resume());
          await once(socket, "connect");
        }
        await waitUntil(() => sockets[0]!.destroyed);
        await dial(listener);
        await waitUntil(() => accepted.length === 1 && sockets[1]!.destroyed);
        assert.equal(sockets[2]!.destroyed, false);
        // Connections that this side has closed are no failures of the peer.
        assert.deepEqual(failures, []);
      }
    });

    it("of many hosts that never end leave room for one of another host", async () => {
      const { listener, accepted } = await listen();
      const renew = (host: string) => {
        const socket = connect({ port: listener.port, host: "127.0.0.1", localAddress: host });
        cleanUps.push(() => socket.destroy());
        return socket.on("error", () => {}).resume();
      };
      const sockets = Array.from({ length: 80 }, (_, i) => renew(`127.0.1.${1 + (i % 5)}`));
      await waitUntil(() => sockets.filter(({ destroyed }) => destroyed).length === 80 - 64);
      for (let round = 1; round <= 5; round++) {
        await dial(listener);
        await waitUntil(() => accepted.length === round);
        for (const [i, socket] of sockets.entries()) if (socket.destroyed) sockets[i] = renew(`127.0.1.${1 + (i % 5)}`);
      }
    });

    it("end with the listener", async () => {
      const { listener, failures } = await listen();
      const socket = connect(listener.port, "127.0.0.1").on("error", () => {});
      await once(socket.resume(), "connect");
      await new Promise((resolve) => setTimeout(resolve, 20));
      listener.close();
      await once(socket, "close");
      assert.ok(isFailure("auth", /aborted/)(failures[0]));
    });

    it("fail to listen on a port in use", async () => {
      const { listener } = await listen();
      const second = listen({ port: listener.port });
      await assert.rejects(second, (error: RlpxError) => error.code === "LISTEN_FAILED");
    });
  });

  describe("dialled to a node of the test", () => {
    let server: Server;
    let port: number;
    let whenDialled: Promise<Socket>;
    const key = agreementKey(newIdentity().privateKey);

    beforeEach(async () => {
      server = createServer();
      whenDialled = once(server, "connection").then(([socket]) => socket as Socket);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      port = (server.address() as { port: number }).port;
      cleanUps.push(() => server.close());
    });

    const target = (changes: object = {}) => ({
      ...optionsWith(),
      host: "127.0.0.1",
      port,
      remoteId: key.publicKey,
      ...changes,
    });

    it("take the ack and Hello in one write, and an ack cut anywhere", async () => {
      const connecting = dialRlpx(target());
      const node = RawRlpxPeer.accept(await whenDialled, key);
      await waitUntil(() => node.ack !== undefined);
      const bytes = concatBytes(node.ack!, node.message(0, node.hello()), node.message(0x10, fromHex("c0")));
      node.socket.setNoDelay(true);
      for (const [start, end] of [
        [0, 100],
        [100, 210],
        [210, 230],
        [230, bytes.length],
      ]) {
        node.socket.write(bytes.subarray(start, end));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const own = new Watched(await connecting);
      cleanUps.push(() => own.connection.destroy());
      await waitUntil(() => node.codes().includes(0));
      await new Promise((resolve) => setTimeout(resolve, 20));
      own.start();
      await waitUntil(() => own.messages.length === 1);
      assert.equal(own.messages[0]![0], 0x10);
    });

    it("fail when no ack arrives in time, or the attempt is aborted", async () => {
      const clock = new ManualClock();
      const silent = dialRlpx(target({ clock }));
      const socket = await whenDialled;
      await once(socket, "data");
      clock.pass(8000);
      await assert.rejects(silent, isFailure("ack", /8000 ms/));
      assert.equal(clock.pending, 0);
      const controller = new AbortController();
      const accepted = once(server, "connection");
      const aborted = dialRlpx(target({ signal: controller.signal }));
      const [next] = await accepted;
      await once(next, "data");
      controller.abort();
      await assert.rejects(aborted, isFailure("ack", /aborted/));
      const before = dialRlpx(target({ signal: AbortSignal.abort() }));
      await assert.rejects(before, isFailure("connect", /aborted/));
    });

    it("fail after a wrong ack, a closed connection, or without a listener", async () => {
      const wrong = dialRlpx(target());
      (await whenDialled).write(new Uint8Array(1100).fill(4));
      await assert.rejects(wrong, isFailure("ack"));
      server.once("connection", (socket) => socket.destroy());
      await assert.rejects(dialRlpx(target()), isFailure("ack"));
      server.close();
      for (const host of ["127.0.0.1", "localhost"]) {
        await assert.rejects(dialRlpx(target({ host })), isFailure("connect", /ECONNREFUSED/));
      }
      await assert.rejects(dialRlpx(target({ remoteId: new Uint8Array(64) })), RlpxError);
    });

    it("are accepted from any socket", async () => {
      const connecting = dialRlpx(target({ remoteId: identity.nodeId }));
      const accepted = await acceptRlpx(await whenDialled, optionsWith({ identity }));
      const dialled = await connecting;
      cleanUps.push(
        () => dialled.destroy(),
        () => accepted.destroy(),
      );
      assert.equal(accepted.direction, "inbound");
    });
  });
});
