import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { platformClock } from "@cambium/primitives";
import {
  agreementKey,
  dialRlpx,
  FrameDecoder,
  FrameEncoder,
  listenRlpx,
  Negotiation,
  type RlpxConnection,
  type RlpxOptions,
} from "@cambium/rlpx";
import { sleep } from "@cambium/test-utils/rpc-client";
import { SILENT } from "@cambium/test-utils/silent-logger";

type Print = (name: string, value: number, unit: string) => void;

const HANDSHAKES = 200;
const CONNECTIONS = 100;
/** Milliseconds until the buffers of the connection set-up are released. */
const SETTLING = 3000;

function newOptions(): RlpxOptions {
  const privateKey = randomBytes(32);
  return {
    identity: { privateKey, nodeId: agreementKey(privateKey).publicKey },
    hello: { clientId: "bench", capabilities: [{ name: "rsk", version: 62 }], listenPort: 5050 },
    clock: platformClock,
    logger: SILENT,
  };
}

/** Runs both sides up to the exchange of Hello, without sockets. */
function handshake(initiator: RlpxOptions, responder: RlpxOptions): void {
  const toResponder: Uint8Array[] = [];
  const toInitiator: Uint8Array[] = [];
  const a = new Negotiation(initiator, responder.identity.nodeId, (bytes) => void toResponder.push(bytes));
  const b = new Negotiation(responder, undefined, (bytes) => void toInitiator.push(bytes));
  a.start();
  while (toResponder.length + toInitiator.length > 0) {
    for (const bytes of toResponder.splice(0)) b.receive(bytes);
    for (const bytes of toInitiator.splice(0)) a.receive(bytes);
  }
}

function handshakes(print: Print): void {
  const [initiator, responder] = [newOptions(), newOptions()];
  const start = performance.now();
  for (let i = 0; i < HANDSHAKES; i++) handshake(initiator, responder);
  print("handshakes, both sides", (HANDSHAKES * 1000) / (performance.now() - start), "handshakes/s");
}

function frames(bytes: number, count: number, print: Print): void {
  const start = randomBytes(64);
  const secrets = { aes: randomBytes(32), mac: randomBytes(32), egress: start, ingress: start };
  const [encoder, decoder] = [new FrameEncoder(secrets), new FrameDecoder(secrets)];
  const payload = randomBytes(bytes);
  const encodingStart = performance.now();
  const encoded = Array.from({ length: count }, () => encoder.encode(0x18, payload));
  const decodingStart = performance.now();
  for (const frame of encoded) {
    decoder.push(frame);
    decoder.next();
  }
  const megabytes = (bytes * count) / 1e6;
  const times = { encode: decodingStart - encodingStart, decode: performance.now() - decodingStart };
  for (const [what, milliseconds] of Object.entries(times)) {
    print(`${what} messages of ${bytes} bytes`, (megabytes * 1000) / milliseconds, "MB/s");
    print(`${what} messages of ${bytes} bytes`, (count * 1000) / milliseconds, "messages/s");
  }
}

/** Measures the memory of an idle connection at both ends, which are in this process. */
async function measureIdle(): Promise<number> {
  const options = newOptions();
  const connections: RlpxConnection[] = [];
  const keep = (connection: RlpxConnection) => {
    connections.push(connection);
    connection.start({ onMessage() {}, onClose() {} });
  };
  const handlers = { mayAccept: () => true, onConnection: keep, onFailedHandshake() {} };
  const listener = await listenRlpx({ ...options, ...handlers, host: "127.0.0.1", port: 0 });
  const dial = async () => {
    const target = { host: "127.0.0.1", port: listener.port, remoteId: options.identity.nodeId };
    keep(await dialRlpx({ ...newOptions(), ...target }));
  };
  await dial();
  const before = await usedBytes();
  for (let i = 0; i < CONNECTIONS; i++) await dial();
  return ((await usedBytes()) - before) / CONNECTIONS;
}

async function usedBytes(): Promise<number> {
  await sleep(SETTLING);
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

/** Measures the deployed network's wire: handshakes, frames, and in a separate process the memory of a connection. */
export async function run(print: Print): Promise<void> {
  handshakes(print);
  frames(100, 20_000, print);
  frames(64 * 1024, 500, print);
  frames(4 * 2 ** 20, 10, print);
  const child = spawnSync(process.execPath, ["--import=tsx", fileURLToPath(import.meta.url)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  print("an idle connection, at both ends together", Number(child.stdout) / 1024, "KiB");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(await measureIdle());
  process.exit(0);
}
