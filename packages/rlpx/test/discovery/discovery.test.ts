import assert from "node:assert/strict";
import { concatBytes, keccak256, toHex } from "@cambium/primitives";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { MAX_SENT_PACKET } from "../../src/discovery/discovery.js";
import type { DiscoveredNode } from "../../src/discovery/interface.js";
import { NEW_ADDRESSES, RETRY_AFTER } from "../../src/discovery/learned-addresses.js";
import type { Neighbor } from "../../src/discovery/packets.js";
import { REQUEST_TIMEOUT } from "../../src/discovery/pending-requests.js";
import { MAX_STORED } from "../../src/discovery/stored-nodes.js";
import { addressKey } from "../../src/discovery/udp-address.js";
import { envelope, identityOf, isFrom, pingOf, type Stranger, strangerAt, World } from "./world.js";

const MINUTE = 60_000;
const CLEANUP = 15_000;

/** Public addresses in different subnets. */
function publicIp(number: number): string {
  return `${11 + (number % 80)}.${Math.floor(number / 80) % 250}.7.7`;
}

function neighborOf({ address, nodeId }: Stranger): Neighbor {
  return { host: address.ip, udpPort: address.udpPort, tcpPort: address.udpPort, nodeId };
}

/** Makes the service ask `source` for neighbours, and answers with `nodes`. */
function answerWithNeighbors(world: World, source: Stranger, nodes: readonly Neighbor[]): void {
  world.clock.pass(MINUTE);
  const [request] = world.take("findNode", source);
  world.answer(source);
  world.take();
  world.receive(source, { kind: "neighbors", nodes, ...envelope(request!.message.messageId) });
}

describe("discovery: start", () => {
  const bootNodes = [
    { host: "boot.example", udpPort: 5050, tcpPort: 5050 },
    { host: "7.7.7.7", udpPort: 5051, tcpPort: 5051 },
  ];

  it("pings all addresses of the boot nodes, resolves anew after a minute, and never gives up", async () => {
    let answers = ["5.5.5.5", "6.6.6.6"];
    const world = await World.open({ bootNodes, resolve: async () => answers });
    for (let round = 0; round < 5; round++) {
      for (let attempt = 0; attempt < 3; attempt++) {
        const to = [...answers.map((ip) => `${ip}:5050`), "7.7.7.7:5051"].sort();
        const pinged = world.take("ping").map((sent) => `${sent.to.ip}:${sent.to.udpPort}`);
        assert.deepEqual(pinged.sort(), to, `round ${round}, attempt ${attempt}`);
        if (attempt === 2) answers = [`5.5.5.${round}`];
        world.clock.pass(CLEANUP);
      }
      assert.deepEqual(world.take(), []);
      world.clock.pass(MINUTE - 3 * CLEANUP);
      await world.settle();
    }
  });

  it("pings the boot nodes each minute while the node is isolated, and reports those that answer", async () => {
    let isIsolated = false;
    const world = await World.open({ bootNodes, isIsolated: () => isIsolated, resolve: async () => ["5.5.5.5"] });
    const [named, literal] = [strangerAt("5.5.5.5"), strangerAt("7.7.7.7", 5051)];
    world.answer(named);
    assert.deepEqual(world.service.bootNodes().map(addressKey), ["5.5.5.5 5050"]);
    const minute = async () => {
      for (let i = 0; i < MINUTE / CLEANUP; i++) {
        world.clock.pass(CLEANUP);
        await world.settle();
        world.answer(named);
      }
    };
    await minute();
    world.take();
    await minute();
    // The table has a node, so other nodes are not needed.
    assert.equal(world.answer(literal), 0);
    isIsolated = true;
    await minute();
    assert.ok(world.answer(literal) > 0);
    assert.deepEqual(world.service.bootNodes().map(addressKey).sort(), ["5.5.5.5 5050", "7.7.7.7 5051"]);
  });

  it("survives names that do not resolve, and warns once a minute", async () => {
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (_: object, message: string) => void warnings.push(message) };
    const world = await World.open({ bootNodes: bootNodes.slice(0, 1), logger });
    assert.equal(warnings.length, 1);
    world.clock.pass(MINUTE);
    await world.settle();
    assert.equal(warnings.length, 2);
    assert.deepEqual(world.sent, []);
  });

  it("reports the TCP port of a boot node, and only the node that was configured", async () => {
    const [boot, other] = [strangerAt("5.5.5.5"), strangerAt("6.6.6.6")];
    const configured = [boot, other].map(({ address: { ip, udpPort } }) => ({ host: ip, udpPort, tcpPort: 777 }));
    const world = await World.open({ bootNodes: configured.map((node) => ({ ...node, id: boot.nodeId })) });
    for (const stranger of [boot, other]) world.answer(stranger);
    const expected = { id: boot.nodeId, ip: "5.5.5.5", udpPort: 5050, tcpPort: 777 };
    assert.deepEqual(world.service.nodes(), [expected]);
    assert.deepEqual(world.found, [expected]);
  });
});

describe("discovery: bonds", () => {
  it("answers a ping, pings back, and knows the node after its pong", async () => {
    const world = await World.open();
    const stranger = strangerAt("5.5.5.5");
    world.ping(stranger);
    const [pong, ping] = world.take();
    assert.equal(pong!.message.kind, "pong");
    assert.equal(ping!.message.kind, "ping");
    assert.ok(isFrom(pong!, world.identity));
    const own = { host: "9.9.9.9", udpPort: 5050, tcpPort: 5050 };
    if (pong!.message.kind === "pong") assert.deepEqual([pong!.message.from, pong!.message.to], [own, own]);
    assert.deepEqual(world.known, []);
    world.pong(stranger, ping!.message.messageId.toUpperCase());
    assert.deepEqual(world.known, ["5.5.5.5 5050"]);
    world.ping(stranger);
    assert.deepEqual(
      world.take().map(({ message }) => message.kind),
      ["pong"],
    );
  });

  it("sends one ping at a time to an address", async () => {
    const world = await World.open();
    const stranger = strangerAt("5.5.5.5");
    for (let i = 0; i < 3; i++) world.ping(stranger);
    assert.equal(world.take("ping").length, 1);
    assert.equal(world.take("pong").length, 3);
  });

  it("accepts a pong from the pinged address until the time-out", async () => {
    for (const [delay, ip, isKnown] of [
      [REQUEST_TIMEOUT, "5.5.5.5", true],
      [REQUEST_TIMEOUT + 0.5, "5.5.5.5", false],
      [0, "5.5.5.6", false],
    ] as const) {
      const world = await World.open();
      const stranger = strangerAt("5.5.5.5");
      world.ping(stranger);
      const [ping] = world.take("ping");
      world.clock.pass(delay);
      world.pong(stranger, ping!.message.messageId, { ip, udpPort: 5050 });
      assert.equal(world.known.length, isKnown ? 1 : 0);
    }
  });

  it("does not send nodes to an address that is not proven", async () => {
    const world = await World.open();
    const [known, stranger] = [strangerAt("5.5.5.5"), strangerAt("6.6.6.6")];
    world.introduce(known);
    world.findNode(stranger);
    world.ping(stranger);
    world.findNode(stranger);
    // The id of a known node from another address, and a known address with another id.
    world.findNode(known, stranger.address);
    world.findNode(stranger, known.address);
    assert.deepEqual(world.take("neighbors"), []);
    world.findNode(known);
    assert.equal(world.take("neighbors").length, 1);
  });

  it("sends the closest nodes that fit in a packet, without the one that asks", async () => {
    const world = await World.open();
    const strangers = Array.from({ length: 60 }, (_, i) => strangerAt(publicIp(i)));
    for (const stranger of strangers) world.introduce(stranger);
    assert.ok(world.known.length > 24);
    const asker = strangers.find(({ address: { ip } }) => world.known.includes(`${ip} 5050`))!;
    world.findNode(asker);
    const [{ message, packet }] = world.take("neighbors") as [ReturnType<World["take"]>[number]];
    assert.ok(message.kind === "neighbors" && message.nodes.length >= 12);
    assert.ok(packet.length <= MAX_SENT_PACKET && packet.length > MAX_SENT_PACKET - 100);
    assert.ok(message.nodes.every(({ host }) => host !== asker.address.ip));
  });

  it("answers only some of the requests that follow each other", async () => {
    const world = await World.open();
    const stranger = strangerAt("5.5.5.5");
    world.introduce(stranger);
    for (let i = 0; i < 30; i++) world.findNode(stranger);
    assert.equal(world.take("neighbors").length, 4);
    world.clock.pass(10_000);
    world.findNode(stranger);
    assert.equal(world.take("neighbors").length, 1);
  });

  it("ignores itself", async () => {
    const world = await World.open();
    const mirror: Stranger = { ...world.identity, address: { ip: "5.5.5.5", udpPort: 5050 } };
    world.ping(mirror);
    assert.deepEqual(world.sent, []);
    world.ping(strangerAt("5.5.5.5"));
    assert.equal(world.answer(mirror), 1);
    assert.deepEqual(world.known, []);
  });
});

describe("discovery: refresh and replacement", () => {
  it("asks 24 nodes and pings 16 each minute", async () => {
    const world = await World.open();
    const strangers = Array.from({ length: 60 }, (_, i) => strangerAt(publicIp(i)));
    for (const stranger of strangers) world.introduce(stranger);
    // Pings are sent on behalf of nodes for which their bucket has no room.
    for (const stranger of strangers) world.answer(stranger);
    world.clock.pass(MINUTE);
    const requests = world.take("findNode");
    assert.equal(requests.length, 24);
    for (const { message } of requests) {
      assert.ok(message.kind === "findNode");
      assert.deepEqual(message.nodeId, world.identity.nodeId);
    }
    assert.equal(world.take("ping").length, 16);
  });

  it("removes a node after three pings without an answer", async () => {
    const world = await World.open();
    const stranger = strangerAt("5.5.5.5");
    world.introduce(stranger);
    world.clock.pass(MINUTE);
    for (let attempt = 1; attempt <= 3; attempt++) {
      assert.equal(world.take("ping", stranger).length, 1, `attempt ${attempt}`);
      assert.equal(world.known.length, 1);
      world.clock.pass(CLEANUP);
    }
    assert.deepEqual(world.known, []);
  });

  it("moves a node only when it is silent at its former address", async () => {
    const world = await World.open();
    const node = strangerAt("5.5.5.5");
    const moved = { ...node, address: { ip: "6.6.6.6", udpPort: 5050 } };
    world.introduce(node);
    world.ping(moved);
    assert.equal(world.answer(moved), 1);
    // The node still answers at its address: another host relayed the pong from the new one.
    assert.equal(world.answer(node), 1);
    world.clock.pass(MINUTE - CLEANUP);
    assert.deepEqual(world.known, ["5.5.5.5 5050"]);
    world.ping(moved);
    assert.equal(world.answer(moved), 1);
    for (let attempt = 1; attempt <= 3; attempt++) world.clock.pass(CLEANUP);
    assert.equal(world.answer(moved), 1);
    assert.deepEqual(world.known, ["6.6.6.6 5050"]);
  });

  it("challenges a node of a full bucket instead of replacing it", async () => {
    const world = await World.open();
    const strangers: Stranger[] = [];
    let newcomer: Stranger | undefined;
    for (let i = 0; newcomer === undefined; i++) {
      const stranger = strangerAt(publicIp(i));
      world.introduce(stranger);
      if (world.known.length === strangers.length) newcomer = stranger;
      else strangers.push(stranger);
    }
    const [challenge] = world.take("ping");
    const resident = strangers.find(({ address }) => address.ip === challenge!.to.ip)!;
    for (let attempt = 1; attempt <= 3; attempt++) world.clock.pass(CLEANUP);
    assert.ok(!world.known.includes(`${resident.address.ip} 5050`));
    assert.equal(world.answer(newcomer), 1);
    assert.ok(world.known.includes(`${newcomer.address.ip} 5050`));
  });
});

describe("discovery: learned addresses", () => {
  it("are pinged, and known only after they answered", async () => {
    const world = await World.open();
    const [source, named] = [strangerAt("5.5.5.5"), strangerAt("6.6.6.6")];
    world.introduce(source);
    answerWithNeighbors(world, source, [neighborOf(named)]);
    assert.deepEqual(world.known, ["5.5.5.5 5050"]);
    assert.equal(world.answer(named), 1);
    assert.deepEqual(world.known.sort(), ["5.5.5.5 5050", "6.6.6.6 5050"]);
  });

  it("are dropped if private, disallowed, known, the own node, or no address", async () => {
    const isAllowed = (ip: string, id: Uint8Array | undefined) => ip !== "66.6.6.6" && id?.[0] !== 0xbb;
    const world = await World.open({ isAllowed });
    const source = strangerAt("5.5.5.5");
    const at = (host: string, udpPort = 5050, nodeId = source.nodeId): Neighbor => ({
      host,
      udpPort,
      tcpPort: udpPort,
      nodeId,
    });
    world.introduce(source);
    answerWithNeighbors(world, source, [
      at("10.0.0.1"),
      at("127.0.0.1"),
      at("::1"),
      at("::ffff:192.168.1.1"),
      at("66.6.6.6"),
      at("7.7.7.1", 5050, new Uint8Array(64).fill(0xbb)),
      at("5.5.5.5"),
      at("7.7.7.2", 5050, world.identity.nodeId),
      at("7.7.7.3", 0),
      at("7.7.7.3", 1023),
      at("7.7.7.3", 65_536),
      at("bootstrap01.example"),
      at(""),
      at("7.7.7.4"),
    ]);
    assert.deepEqual(
      world.take().map(({ to }) => to.ip),
      ["7.7.7.4"],
    );
  });

  it("are ignored unless asked for", async () => {
    const world = await World.open();
    const [source, named] = [strangerAt("5.5.5.5"), strangerAt("6.6.6.6")];
    world.introduce(source);
    world.receive(source, { kind: "neighbors", nodes: [neighborOf(named)], ...envelope() });
    world.clock.pass(MINUTE);
    const [request] = world.take("findNode", source);
    world.take();
    const answer = { kind: "neighbors" as const, nodes: [neighborOf(named)], ...envelope(request!.message.messageId) };
    world.receive(source, answer, named.address);
    assert.deepEqual(world.take(), []);
    // The answer comes from the right address, but from another key: the request is used up.
    world.receive(named, answer, source.address);
    world.receive(source, answer);
    assert.deepEqual(world.take(), []);
  });

  it("of one source are limited, and each is tried once in ten minutes", async () => {
    const world = await World.open();
    const source = strangerAt("5.5.5.5");
    world.introduce(source);
    const pinged = new Set<string>();
    let pings = 0;
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 25 }, (_, i) => neighborOf(strangerAt(publicIp(100 + 25 * round + i))));
      answerWithNeighbors(world, source, names);
      for (const { to } of world.take("ping")) {
        pings++;
        pinged.add(to.ip);
      }
    }
    const hourly = (8 * NEW_ADDRESSES.perSource) / 60;
    assert.ok(pinged.size <= NEW_ADDRESSES.perSource + hourly, `${pinged.size} addresses`);
    assert.equal(pings, pinged.size);
    answerWithNeighbors(world, source, [neighborOf(strangerAt(publicIp(100)))]);
    assert.deepEqual(world.take("ping"), []);
    for (let time = 0; time < RETRY_AFTER; time += MINUTE) answerWithNeighbors(world, source, []);
    answerWithNeighbors(world, source, [neighborOf(strangerAt(publicIp(100)))]);
    assert.deepEqual(
      world.take("ping").map(({ to }) => to.ip),
      [publicIp(100)],
    );
  });

  it("of all sources together are limited, and so are the pings in flight", async () => {
    const world = await World.open();
    const sources = Array.from({ length: 24 }, (_, i) => strangerAt(publicIp(i)));
    for (const source of sources) world.introduce(source);
    world.clock.pass(MINUTE);
    let number = 1000;
    for (const { message, to } of world.take("findNode")) {
      const source = sources.find(({ address }) => address.ip === to.ip)!;
      const nodes = Array.from({ length: 20 }, () => neighborOf(strangerAt(publicIp(number++))));
      world.receive(source, { kind: "neighbors", nodes, ...envelope(message.messageId) });
    }
    const checks = world.take("ping").filter(({ to }) => sources.some(({ address }) => address.ip === to.ip)).length;
    assert.equal(checks <= 16, true);
    assert.ok(number > 1000 + 128);
    world.clock.pass(CLEANUP);
    assert.equal(world.take("ping").length, 128 + checks);
  });
});

describe("discovery: floods", () => {
  it("of garbage have no effect", async () => {
    const world = await World.open();
    const next = random(SEED);
    const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(next() * 256));
    for (let i = 0; i < 3000; i++) {
      const rest = bytes(Math.floor(next() * 300));
      const packet = i % 2 === 0 ? rest : concatBytes(keccak256(rest), rest);
      if (i % 4 === 1 && packet.length > 97) packet[97] = 1 + (i % 3);
      world.deliver(packet, { ip: publicIp(i), udpPort: 1 + (i % 9000) });
    }
    assert.deepEqual(world.sent, []);
    const stranger = strangerAt("5.5.5.5");
    world.introduce(stranger);
    assert.deepEqual(world.known, ["5.5.5.5 5050"]);
  });

  it("of packets from one host get few answers", async () => {
    const world = await World.open();
    for (let i = 0; i < 200; i++) world.ping(strangerAt("5.5.5.5", 1000 + i, "one key"));
    assert.equal(world.take("pong").length, 50);
    world.ping(strangerAt("6.6.6.6"));
    assert.equal(world.take("pong").length, 1);
  });

  it("of pings with false sources are answered with little, and do not keep known nodes from being heard", async () => {
    const world = await World.open();
    const known = strangerAt("200.1.1.1");
    world.introduce(known);
    const liar = identityOf("liar");
    let received = 0;
    for (let i = 0; i < 1000; i++) {
      const source = { ...liar, address: { ip: publicIp(i), udpPort: 5050 } };
      world.ping(source);
      received += 174;
    }
    const sent = world.take();
    assert.ok(sent.reduce((sum, { packet }) => sum + packet.length, 0) <= 2 * received);
    assert.ok(sent.filter(({ message }) => message.kind === "ping").length <= 128);
    world.findNode(known);
    assert.equal(world.take("neighbors").length, 1);
    assert.deepEqual(world.known, ["200.1.1.1 5050"]);
  });

  describe("with false sources", () => {
    const liar = strangerAt("66.6.6.6");
    const pings = Array.from({ length: 64 }, () => pingOf(liar));
    const SECONDS = 3;

    /** Delivers this number of pings a second, in steps of 10 ms; `turn` runs at the end of each second. */
    function flood(world: World, perSecond: number, sourceOf: (i: number) => string, turn: (second: number) => void) {
      for (let i = 0, step = 1; step <= 100 * SECONDS; step++) {
        world.clock.pass(10);
        for (; i < (step * perSecond) / 100; i++) {
          world.deliver(pings[i % pings.length]!, { ip: sourceOf(i), udpPort: 5050 });
        }
        if (step % 100 === 0) turn(step / 100);
      }
    }

    /** Whether a new node is answered and becomes known. */
    function isWelcome(world: World, stranger: Stranger): boolean {
      world.ping(stranger);
      if (world.take("pong", stranger).length === 0) return false;
      world.answer(stranger);
      return world.known.includes(addressKey(stranger.address));
    }

    for (const [what, perSecond, sourceOf] of [
      ["400 hosts of its subnet", 5600, (i) => `11.1.${30 + (i & 1)}.${i % 200}`],
      ["all hosts of another subnet", 5600, (i) => `12.1.${(i >> 8) & 255}.${i & 255}`],
      ["1000 subnets", 2000, (i) => `${20 + (i % 10)}.${Math.floor(i / 10) % 100}.${(i >> 8) & 255}.${i & 255}`],
      ["all hosts", 250, (i) => `${11 + ((i * 7919) % 80)}.${(i * 104_729) % 256}.7.${i % 251}`],
    ] as const satisfies [string, number, (i: number) => string][]) {
      it(`of ${what} leave a new node its answer`, async () => {
        const world = await World.open();
        flood(world, perSecond, sourceOf, (second) => {
          assert.ok(isWelcome(world, strangerAt(`11.1.191.${second}`)), `second ${second}`);
        });
        assert.equal(world.known.length, SECONDS);
      });
    }

    it("of known nodes do not keep others from being answered, nor those themselves from answering", async () => {
      const world = await World.open();
      const nodes = Array.from({ length: 12 }, (_, i) => strangerAt(publicIp(i)));
      for (const node of nodes) world.introduce(node);
      const [spared, ...claimed] = nodes.filter(({ address }) => world.known.includes(addressKey(address)));
      flood(
        world,
        3000,
        (i) => claimed[i % claimed.length]!.address.ip,
        () => {
          world.take();
          world.findNode(spared!);
          assert.equal(world.take("neighbors", spared).length, 1);
        },
      );
      world.clock.pass(MINUTE - SECONDS * 1000);
      flood(
        world,
        3000,
        (i) => claimed[i % claimed.length]!.address.ip,
        () => undefined,
      );
      const asked = claimed.filter((node) => world.answer(node) > 0);
      assert.ok(asked.length > 0);
      for (let attempt = 1; attempt <= 3; attempt++) world.clock.pass(CLEANUP - 1);
      for (const { address } of asked) assert.ok(world.known.includes(addressKey(address)));
    });

    it("get one ping each, once, which no other address can answer", async () => {
      const world = await World.open();
      const [one, other] = [strangerAt("5.5.5.5"), strangerAt("6.6.6.6")];
      world.ping(one);
      world.clock.pass(CLEANUP - 1000);
      const [ping, ...more] = world.take("ping");
      assert.deepEqual(more, []);
      const { messageId } = ping!.message;
      const last = messageId.at(-1) === "0" ? "1" : "0";
      world.pong(one, messageId.slice(0, -1) + last);
      world.pong(one, messageId.replace(/^./, "f"));
      world.pong(other, messageId);
      world.pong(one, messageId, { ip: "5.5.5.5", udpPort: 5051 });
      assert.deepEqual(world.known, []);
      world.pong(one, messageId);
      assert.deepEqual(world.known, ["5.5.5.5 5050"]);
    });
  });

  it("do not reach a listener's error", async () => {
    const errors: string[] = [];
    const logger = { ...SILENT, error: (_: object, message: string) => void errors.push(message) };
    const world = await World.open({ logger });
    world.service.onNode(() => {
      throw new Error("listener");
    });
    world.introduce(strangerAt("5.5.5.5"));
    assert.equal(errors.length, 1);
    world.introduce(strangerAt("6.6.6.6"));
    assert.equal(world.known.length, 2);
  });
});

describe("discovery: bans and private addresses", () => {
  it("ignores disallowed addresses and ids, and forgets nodes that become disallowed", async () => {
    const banned = new Set(["66.6.6.6"]);
    const bad = identityOf("bad");
    const isAllowed = (ip: string, id: Uint8Array | undefined) =>
      !banned.has(ip) && (id === undefined || toHex(id) !== toHex(bad.nodeId));
    const world = await World.open({ isAllowed });
    world.ping(strangerAt("66.6.6.6"));
    world.ping({ ...bad, address: { ip: "7.7.7.7", udpPort: 1 } });
    assert.deepEqual(world.take(), []);
    world.introduce(strangerAt("5.5.5.5"));
    banned.add("5.5.5.5");
    world.clock.pass(MINUTE);
    assert.deepEqual(world.known, []);
  });

  it("answers private addresses on public networks, but knows only configured ones, and does not name them", async () => {
    const [configured, other, outside] = [strangerAt("10.0.0.1"), strangerAt("10.0.0.2"), strangerAt("5.5.5.5")];
    const world = await World.open({ bootNodes: [{ host: "10.0.0.1", udpPort: 5050, tcpPort: 5050 }] });
    world.answer(configured);
    world.ping(other);
    assert.deepEqual(
      world.take().map(({ message }) => message.kind),
      ["pong"],
    );
    world.introduce(outside);
    assert.deepEqual(world.known, ["10.0.0.1 5050", "5.5.5.5 5050"]);
    world.findNode(outside);
    const [{ message }] = world.take("neighbors") as [ReturnType<World["take"]>[number]];
    assert.deepEqual(message.kind === "neighbors" && message.nodes, []);
  });
});

describe("discovery: stored nodes", () => {
  function storeOf(initial: readonly DiscoveredNode[]) {
    const store = { stored: initial, writes: 0 };
    const write = (nodes: readonly DiscoveredNode[]) => {
      store.stored = nodes;
      store.writes++;
    };
    return Object.assign(store, { read: () => initial, write });
  }

  it("are written once a minute if they changed, and at the end, the latest seen first", async () => {
    const store = storeOf([]);
    const world = await World.open({ store });
    world.introduce(strangerAt("5.5.5.5"));
    world.introduce(strangerAt("6.6.6.6"));
    assert.equal(store.writes, 0);
    world.clock.pass(MINUTE);
    assert.deepEqual(
      store.stored.map(({ ip }) => ip),
      ["6.6.6.6", "5.5.5.5"],
    );
    world.answer(strangerAt("5.5.5.5"));
    world.answer(strangerAt("6.6.6.6"));
    world.clock.pass(MINUTE);
    assert.equal(store.writes, 1);
    await world.service.stop();
    assert.equal(store.writes, 2);
  });

  it("are pinged at the start like boot nodes, and stay if there are no others", async () => {
    const stranger = strangerAt("5.5.5.5");
    const store = storeOf([{ id: stranger.nodeId, ...stranger.address, tcpPort: 6060 }]);
    const world = await World.open({ store });
    assert.deepEqual(world.known, []);
    assert.equal(world.take("ping", stranger).length, 1);
    for (let attempt = 1; attempt <= 3; attempt++) world.clock.pass(CLEANUP);
    world.take();
    world.clock.pass(CLEANUP);
    assert.equal(world.answer(stranger), 1);
    assert.deepEqual(
      world.service.nodes().map(({ tcpPort }) => tcpPort),
      [6060],
    );
    const silent = await World.open({ store });
    await silent.service.stop();
    assert.equal(store.writes, 0);
  });

  it("are limited", async () => {
    const many = Array.from({ length: 2 * MAX_STORED }, (_, i) => {
      const { nodeId, address } = strangerAt(publicIp(i));
      return { id: nodeId, ...address, tcpPort: 1 };
    });
    const world = await World.open({ store: storeOf(many) });
    assert.equal(world.take("ping").length, MAX_STORED);
  });

  it("are done without if they cannot be read or written", async () => {
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (_: object, message: string) => void warnings.push(message) };
    const fail = () => {
      throw new Error("damaged");
    };
    const world = await World.open({ logger, store: { read: fail, write: fail } });
    world.introduce(strangerAt("5.5.5.5"));
    world.clock.pass(MINUTE);
    assert.equal(warnings.length, 2);
    assert.equal(world.known.length, 1);
  });
});

describe("discovery: stop", () => {
  it("ends all activity", async () => {
    const world = await World.open({ bootNodes: [{ host: "5.5.5.5", udpPort: 1, tcpPort: 1 }] });
    await world.service.stop();
    await world.service.stop();
    world.take();
    world.ping(strangerAt("6.6.6.6"));
    world.clock.pass(10 * MINUTE);
    assert.deepEqual(world.sent, []);
    assert.equal(world.clock.pending, 0);
  });

  it("cancels the start if names resolve later", async () => {
    let resolved: (ips: string[]) => void = () => {};
    const world = await World.open({
      bootNodes: [{ host: "boot.example", udpPort: 1, tcpPort: 1 }],
      resolve: () => new Promise((resolve) => (resolved = resolve)),
    });
    await world.service.stop();
    resolved(["5.5.5.5"]);
    await world.settle();
    assert.deepEqual(world.sent, []);
  });
});
