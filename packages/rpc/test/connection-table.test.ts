import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ByteBudget } from "../src/connections/byte-budget.js";
import { ConnectionTable } from "../src/connections/connection-table.js";
import { Proxies } from "../src/proxies.js";

/** A socket that records calls of its methods. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  refusal = "";

  constructor(readonly remoteAddress: string | undefined) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }

  end(text: string): void {
    this.refusal = text;
  }
}

describe("the table of connections", () => {
  let server: EventEmitter;
  let table: ConnectionTable;

  function limit(maximum: number, perClient: number): void {
    server = new EventEmitter();
    const budgets = { unread: new ByteBudget(0), unsent: new ByteBudget(0) };
    table = new ConnectionTable({ maximum, perClient, proxies: Proxies.of(["10.0.0.0/8"]) }, budgets);
    table.watch(server as Server);
  }

  function open(address: string | undefined): FakeSocket {
    const socket = new FakeSocket(address);
    server.emit("connection", socket);
    return socket;
  }

  const entry = (socket: FakeSocket) => table.get(socket as unknown as Socket);
  const isServed = (socket: FakeSocket) => entry(socket) !== undefined && !socket.destroyed;

  it("does not limit those of a proxy, which has many clients", () => {
    limit(100, 2);
    const sockets = [1, 2, 3, 4].map(() => open("10.0.0.1"));
    for (const socket of sockets) entry(socket)?.begin();
    assert.deepEqual(sockets.map(isServed), [true, true, true, true]);
  });

  it("limits connections in use by IPv4 address or IPv6 network", () => {
    limit(100, 2);
    for (const addresses of [
      ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"],
      ["2001:db8::1", "2001:db8::ffff", "2001:db8:0:0:1::"],
    ]) {
      const sockets = addresses.map((address) => {
        const socket = open(address);
        entry(socket)?.begin();
        return socket;
      });
      assert.deepEqual(sockets.map(isServed), [true, true, false]);
      assert.match(sockets[2]!.refusal, /^HTTP\/1\.1 503 /);
      sockets[0]!.destroy();
      assert(isServed(open(addresses[2])));
    }
    for (const other of ["192.0.2.2", "2001:db8:0:1::"]) assert(isServed(open(other)));
  });

  it("does not limit programs on this machine to fewer than all connections", () => {
    limit(6, 2);
    const sockets = ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"].map(open);
    for (const socket of sockets) entry(socket)!.begin();
    assert(sockets.every(isServed));
  });

  it("closes idle connections of a client to make room for its next one", () => {
    limit(100, 2);
    const [other, first, second] = [open("192.0.2.2"), open("192.0.2.1"), open("192.0.2.1")];
    assert(isServed(open("192.0.2.1")));
    assert.deepEqual([other, first, second].map(isServed), [true, false, true]);
  });

  it("closes those first that never sent a request, then the others in the order of their last use", () => {
    limit(4, 0);
    const [busy, used, usedLater, unused] = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"].map(open) as [
      FakeSocket,
      FakeSocket,
      FakeSocket,
      FakeSocket,
    ];
    for (const socket of [busy, used, usedLater]) entry(socket)!.begin();
    for (const socket of [used, usedLater]) entry(socket)!.end();
    entry(used)!.lastUsed = 0;
    for (const closed of [unused, used, usedLater]) {
      assert(isServed(closed));
      const next = open("192.0.2.5");
      entry(next)!.begin();
      assert(isServed(next) && !isServed(closed));
    }
    assert(isServed(busy));
    assert(!isServed(open("192.0.2.6")));
  });

  it("closes connections that wait for a refusal to make room", () => {
    limit(2, 0);
    const [busy, refused] = [open("192.0.2.1"), open("192.0.2.2")];
    for (const socket of [busy, refused]) entry(socket)!.begin();
    entry(refused)!.isRefused = true;
    assert.deepEqual([open("192.0.2.3"), busy, refused].map(isServed), [true, true, false]);
  });

  it("does not accept a connection that is closed already", () => {
    limit(4, 0);
    assert(open(undefined).destroyed);
  });
});
