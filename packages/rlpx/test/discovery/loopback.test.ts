import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { openDiscovery } from "../../src/discovery/discovery.js";
import type { Discovery, DiscoveryOptions } from "../../src/discovery/interface.js";
import { RlpxError } from "../../src/errors.js";
import { identityOf, NETWORK_ID } from "./world.js";

const HOST = "127.0.0.1";

describe("discovery over real sockets", () => {
  const running: Discovery[] = [];
  const clock = new ManualClock();

  async function start(seed: string, options: Partial<DiscoveryOptions> = {}): Promise<Discovery> {
    const service = await openDiscovery({
      identity: identityOf(seed),
      networkId: NETWORK_ID,
      bind: { host: HOST, port: 0 },
      advertised: { host: HOST, port: 0 },
      bootNodes: [],
      allowsPrivate: true,
      isAllowed: () => true,
      store: { read: () => [], write() {} },
      clock,
      logger: SILENT,
      ...options,
    });
    running.push(service);
    return service;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
  });

  async function until(condition: () => boolean): Promise<void> {
    for (let i = 0; i < 500 && !condition(); i++) await delay(10);
    assert.ok(condition());
  }

  const bootNodeAt = (port: number) => ({ host: HOST, udpPort: port, tcpPort: port });
  const idsOf = (service: Discovery) => service.nodes().map(({ id }) => toHex(id).slice(0, 8));

  it("finds five nodes through one", async () => {
    const boot = await start("node 0");
    const others: Discovery[] = [];
    for (let i = 1; i <= 5; i++) others.push(await start(`node ${i}`, { bootNodes: [bootNodeAt(boot.localPort)] }));
    await until(() => boot.nodes().length === 5 && others.every((service) => service.nodes().length === 1));
    clock.pass(60_000);
    await until(() => others.every((service) => service.nodes().length === 5));
    const ids = [0, 1, 2, 3, 4, 5].map((i) => toHex(identityOf(`node ${i}`).nodeId).slice(0, 8));
    for (const [index, service] of [boot, ...others].entries()) {
      assert.deepEqual(idsOf(service).sort(), ids.toSpliced(index, 1).sort());
      assert.ok(service.nodes().every(({ ip, udpPort, tcpPort }) => ip === HOST && udpPort === tcpPort));
    }
  });

  it("finds nodes over IPv6 and IPv4 at once", async function () {
    const dual = await start("dual", { bind: { host: "::", port: 0 } }).catch(() => this.skip());
    const plain = await start("plain", { bootNodes: [bootNodeAt(dual.localPort)] });
    const six = await start("six", {
      bind: { host: "::1", port: 0 },
      bootNodes: [{ ...bootNodeAt(dual.localPort), host: "::1" }],
    });
    await until(() => dual.nodes().length === 2 && plain.nodes().length === 1 && six.nodes().length === 1);
    assert.deepEqual(
      dual
        .nodes()
        .map(({ ip }) => ip)
        .sort(),
      [HOST, "::1"],
    );
  });

  it("rejects with LISTEN_FAILED if the port is in use or the host is not an own address", async () => {
    const { localPort } = await start("first");
    for (const bind of [
      { host: HOST, port: localPort },
      { host: "192.0.2.1", port: 0 },
    ]) {
      await assert.rejects(start("second", { bind }), (error) => {
        assert.ok(error instanceof RlpxError && error.details.code === "LISTEN_FAILED");
        assert.equal(error.details.address, `UDP ${bind.host}:${bind.port}`);
        return true;
      });
    }
  });

  it("survives addresses that cannot be reached, and garbage", async () => {
    const closed = createSocket("udp4");
    closed.bind(0, HOST);
    await once(closed, "listening");
    const { port } = closed.address();
    closed.close();
    const unreachable = ["255.255.255.255", "0.0.0.1", "2001:db8::1"].map((host) => ({ ...bootNodeAt(port), host }));
    const service = await start("boot", { bootNodes: [bootNodeAt(port), ...unreachable] });
    const sender = createSocket("udp4");
    for (const size of [0, 1, 97, 98, 1280, 9000]) sender.send(new Uint8Array(size), service.localPort, HOST);
    const other = await start("other", { bootNodes: [bootNodeAt(service.localPort)] });
    clock.pass(45_000);
    await until(() => service.nodes().length === 1 && other.nodes().length === 1);
    sender.close();
  });
});
