import assert from "node:assert/strict";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { NatsConnection } from "@nats-io/transport-node";
import { requestSubject } from "../src/connection.js";
import { connectTo, type SealedStream, sealedStream, serveRequests, WriterRequests } from "../src/index.js";
import { MALFORMED_HEADERS, RawPublisher } from "./raw-publisher.js";

const KEYS = { genesis: new Uint8Array(32).fill(1), keys: [new Uint8Array(32).fill(2)] };
const PATIENCE = 30_000;

describe("requests between the nodes of a stream", function () {
  this.timeout(60_000);
  let server: NatsServer;
  let streams = 0;
  let address: SealedStream;
  let strangers: SealedStream;
  let attacker: NatsConnection;
  let raw: RawPublisher;
  const ends: (() => unknown)[] = [];
  const stopped = new AbortController();

  async function connection(): Promise<NatsConnection> {
    const opened = (await connectTo(address, SILENT, stopped.signal))!;
    ends.push(() => opened.close());
    return opened;
  }

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
  });

  beforeEach(async () => {
    address = sealedStream({ servers: [server.url], stream: `requests-${++streams}` }, KEYS);
    strangers = sealedStream(address, { ...KEYS, keys: [new Uint8Array(32)] });
    attacker = await connection();
    raw = await RawPublisher.open(server.port);
    ends.push(() => raw.close());
  });

  afterEach(async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  });

  after(async () => {
    stopped.abort();
    await server?.remove();
  });

  /** Sends messages that no node seals to a subject with a listener. */
  async function sendJunk(subject: string): Promise<void> {
    for (const lines of MALFORMED_HEADERS) await raw.publish(subject, lines, "x", "inbox");
    for (const reply of ["", "inbox", "a.*", ">", "a\u00a0b"]) await raw.publish(subject, undefined, "x", reply);
  }

  describe("forwarded to the writer", () => {
    it("are answered if a replica has sealed them, and no others", async () => {
      const handled: string[] = [];
      const handle = async (text: string) => {
        handled.push(text);
        return `answer to ${text}`;
      };
      const writer = await connection();
      serveRequests(writer, address, handle, SILENT);
      await writer.flush();
      const subject = requestSubject(address);
      await sendJunk(subject);
      const { seal } = strangers;
      attacker.publish(subject, "1", { reply: "inbox", headers: seal.headers("request", ["inbox"], "1") });
      attacker.publish(subject, "2", { reply: "inbox", headers: address.seal.headers("request", ["other"], "2") });
      attacker.publish(subject, "3", { reply: "inbox", headers: address.seal.headers("answer", ["inbox"], "3") });
      await attacker.flush();
      const client = await connection();
      const requests = new WriterRequests(() => client, address);
      assert.equal(await requests.request("{}", PATIENCE), "answer to {}");
      assert.deepEqual(handled, ["{}"]);
    });

    it("are not answered by others", async () => {
      attacker.subscribe(requestSubject(address), {
        callback: (_error, { reply = "" }) => {
          attacker.publish(reply, "forged");
          attacker.publish(reply, "forged", { headers: strangers.seal.headers("answer", [reply], "forged") });
          attacker.publish(reply, "forged", { headers: address.seal.headers("answer", ["other"], "forged") });
          void sendJunk(reply);
        },
      });
      await attacker.flush();
      const client = await connection();
      const requests = new WriterRequests(() => client, address);
      await assert.rejects(requests.request("{}", 500), { code: "WRITER_AWAY" });
      const writer = await connection();
      serveRequests(writer, address, async (text) => `answer to ${text}`, SILENT);
      await writer.flush();
      for (const text of ["1", "2", "3"]) assert.equal(await requests.request(text, PATIENCE), `answer to ${text}`);
    });

    it("fail when the connection is closed", async () => {
      const client = await connection();
      attacker.subscribe(requestSubject(address), { callback: () => void client.close() });
      await attacker.flush();
      const requests = new WriterRequests(() => client, address);
      await assert.rejects(requests.request("{}", PATIENCE), { code: "WRITER_AWAY" });
    });
  });
});
