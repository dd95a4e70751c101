import assert from "node:assert/strict";
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { type JetStreamManager, jetstream, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { connectTo, Lease, type SealedStream, sealedStream } from "../src/index.js";
import { MALFORMED_HEADERS, RawPublisher } from "./raw-publisher.js";

const GENESIS = new Uint8Array(32).fill(1);
const KEYS = { genesis: GENESIS, keys: [new Uint8Array(32).fill(2)] };

describe("values of other programs in the bucket of the lease", function () {
  this.timeout(60_000);
  let server: NatsServer;
  let streams = 0;
  let address: SealedStream;
  let attacker: NatsConnection;
  let manager: JetStreamManager;
  const ends: (() => unknown)[] = [];
  const stopped = new AbortController();

  async function connection(): Promise<NatsConnection> {
    const opened = (await connectTo(address, SILENT, stopped.signal))!;
    ends.push(() => opened.close());
    return opened;
  }

  async function open(): Promise<Lease> {
    const to = await connection();
    const lease = new Lease({ address, connection: () => to, redundancy: 1 });
    lease.lost = () => assert.fail("the lease is lost");
    ends.push(() => lease.release());
    return lease;
  }

  const bucket = () => `KV_${address.stream}-lease`;
  const subject = () => `$KV.${address.stream}-lease.writer`;
  const put = (value: string, about = headers()) => jetstream(attacker).publish(subject(), value, { headers: about });
  /** The MAC of a value. */
  const mac = ({ header }: StoredMsg) => {
    const out = headers();
    out.set("Cambium-Mac", header.get("Cambium-Mac"));
    return out;
  };
  const last = () => manager.streams.getMessage(bucket(), { last_by_subj: subject() });

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(async () => {
    address = sealedStream({ servers: [server.url], stream: `lease-${++streams}` }, KEYS);
    attacker = await connection();
    manager = await jetstreamManager(attacker);
  });

  afterEach(async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  });

  after(async () => {
    stopped.abort();
    await server?.remove();
  });

  it("are replaced by the holder, and give the lease to nobody else", async () => {
    const [holder, other] = [await open(), await open()];
    assert.ok(await holder.acquire());
    const raw = await RawPublisher.open(server.port);
    ends.push(() => raw.close());
    const own = (await last())!;
    const forgeries = [
      () => put("attacker"),
      () => put(""),
      () => put(own.string(), mac(own)),
      () => put("attacker", mac(own)),
      () =>
        put("attacker", sealedStream(address, { ...KEYS, keys: [] }).seal.headers("lease", [own.seq + 1], "attacker")),
      ...MALFORMED_HEADERS.map((lines) => () => raw.publish(subject(), lines, "x")),
    ];
    for (const forge of forgeries) {
      await forge();
      assert.equal(await other.acquire(), false);
      await until(async () => (await last())?.string() === own.string() && (await last())!.seq > own.seq);
      assert.equal(await other.acquire(), false);
      assert.ok(holder.isHeld);
    }
  });

  it("do not keep the lease from other nodes when its holder has ended", async () => {
    const other = await open();
    assert.ok(await (await open()).acquire());
    await ends.pop()!();
    await put("attacker");
    assert.equal(await other.acquire(), false, "a holder might replace the value");
    const attacking = setInterval(() => void put("attacker").catch(() => undefined), 500);
    try {
      await until(async () => other.acquire());
    } finally {
      clearInterval(attacking);
    }
    assert.ok(other.isHeld);
  });
});
