import assert from "node:assert/strict";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/nats-server";
import { until } from "@cambium/test-utils/rpc-client";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { requestSubject } from "../src/connection.js";
import {
  connectTo,
  PieceRequests,
  type SealedStream,
  sealedStream,
  servePieces,
  serveRequests,
  WriterRequests,
} from "../src/index.js";
import { KIND_HEADER, pieceSubject, serviceName } from "../src/pieces/piece-messages.js";
import { announceService } from "../src/pieces/service-discovery.js";
import { MALFORMED_HEADERS, RawPublisher } from "./raw-publisher.js";

const KEYS = { genesis: new Uint8Array(32).fill(1), keys: [new Uint8Array(32).fill(2)] };
const PATIENCE = 30_000;
const MAX_BYTES = 1_000_000;

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

  /** What no node seals, on a subject to which one listens. */
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

  describe("for pieces of a search", () => {
    const state = () => ({ head: 1_000, from: 0, load: 0 });
    const { signal } = new AbortController();

    async function serve(search: (piece: string) => Promise<string | undefined>): Promise<string> {
      const replica = await connection();
      const id = servePieces(replica, address, { state, search }, SILENT);
      await replica.flush();
      return id;
    }

    async function found(): Promise<Awaited<ReturnType<PieceRequests["find"]>>> {
      const client = await connection();
      const requests = new PieceRequests(
        () => client,
        address,
        () => undefined,
      );
      let servers: Awaited<ReturnType<PieceRequests["find"]>> = [];
      await until(async () => {
        servers = await requests.find(1_000, 0);
        return servers.length > 0;
      });
      return servers;
    }

    it("are answered in parts by replicas", async () => {
      await serve(async (piece) => piece.repeat(600_000));
      const [server] = await found();
      assert.equal(await server!.search("ab", PATIENCE, 2 * MAX_BYTES, signal), "ab".repeat(600_000));
    });

    it("are answered if a node has sealed them, and no others", async () => {
      const searched: string[] = [];
      const search = async (piece: string) => {
        searched.push(piece);
        return "found";
      };
      const id = await serve(search);
      const subject = pieceSubject(address, id);
      for (const one of [subject, `${subject}.cancel`, "$SRV.STATS", `$SRV.STATS.${serviceName(address)}`]) {
        await sendJunk(one);
      }
      const place = [subject, "inbox", "", ""];
      attacker.publish(subject, "1", { reply: "inbox", headers: strangers.seal.headers("piece", place, "1") });
      await attacker.flush();
      const [server] = await found();
      assert.equal(await server!.search("2", PATIENCE, MAX_BYTES, signal), "found");
      assert.deepEqual(searched, ["2"]);
    });

    it("are not ended by others", async () => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const id = await serve(async () => {
        await released;
        return "found";
      });
      const subject = pieceSubject(address, id);
      const inboxes: string[] = [];
      attacker.subscribe(subject, { callback: (_error, { reply = "" }) => void inboxes.push(reply) });
      await attacker.flush();
      const [server] = await found();
      const answer = server!.search("piece", PATIENCE, MAX_BYTES, signal);
      await until(async () => inboxes.length > 0);
      const [inbox] = inboxes;
      attacker.publish(`${subject}.cancel`, inbox!);
      for (const kind of ["end", "limit", "failed", "part"]) {
        const about = headers();
        about.set(KIND_HEADER, kind);
        attacker.publish(inbox!, "forged", { headers: about });
        const place = [inbox!, 1, kind];
        attacker.publish(inbox!, "forged", { headers: strangers.seal.addTo(about, "piece-answer", place, "forged") });
      }
      await sendJunk(inbox!);
      await attacker.flush();
      release();
      assert.equal(await answer, "found");
    });

    it("are sent to replicas only, whatever subject another service names", async () => {
      const asked: string[] = [];
      attacker.subscribe("$JS.API.STREAM.PURGE.>", { callback: (_error, { subject }) => void asked.push(subject) });
      const endpoint = { name: "pieces", subject: `$JS.API.STREAM.PURGE.${address.stream}` };
      const about = { name: serviceName(address), version: "1.0.0", description: "", endpoint, data: state };
      for (const id of ["attacker", "x.>", "", "*"]) announceService(attacker, { ...about, id });
      await attacker.flush();
      const servers = await found();
      assert.equal(servers.length, 1);
      await assert.rejects(servers[0]!.search("piece", PATIENCE, MAX_BYTES, signal), { code: "PIECE_FAILED" });
      assert.deepEqual(asked, []);
    });

    it("pass over services that say anything of themselves", async () => {
      const values = [
        null,
        1,
        "x",
        [],
        {},
        { head: "1000", from: 0 },
        { head: 1_000, from: {} },
        { head: 1e300, from: 0 },
      ];
      for (const [index, value] of values.entries()) {
        const endpoint = { name: "pieces", subject: "x" };
        const about = { name: serviceName(address), version: "1.0.0", description: "", endpoint };
        announceService(attacker, { ...about, id: `service${index}`, data: () => value });
      }
      await attacker.flush();
      await serve(async () => "found");
      assert.equal((await found()).length, 1);
    });
  });
});
