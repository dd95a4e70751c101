import { setTimeout as delay } from "node:timers/promises";
import { prepareDatabase, ReplicaChain, ThreadedChain } from "@cambium/chain";
import { importFiles, readBlockFile } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { BatchFollower, BatchLogReader, batchLogMemory, openLevelDatabase } from "@cambium/database";
import { connectTo, Publisher, type SealedStream, Subscriber, sealedStream } from "@cambium/replication";
import { SILENT } from "@cambium/test-utils/silent-logger";

/** Task of a process of the benchmark. */
export interface Task {
  kind: "writer" | "replica";
  /** Block files. */
  files: readonly string[];
  location: string;
  /** URL of the NATS server; undefined: nothing is published. */
  url: string | undefined;
  stream: string;
  /** Number of blocks a second, and their total; undefined: all, as fast as possible. */
  pace?: number;
  blocks?: number;
}

export interface Figures {
  seconds: number;
  processorSeconds: number;
  /** Height of the best block. */
  best: number;
  /** Size of the applied batches, in bytes. */
  bytes: number;
  /** Times when each block could first be read, in milliseconds since 1970, by number; of a paced task only. */
  times: Readonly<Record<number, number>>;
}

/** Messages from the process that runs the benchmark. `height`: the task ends when the best block has it. */
export type Order = { kind: "begin" } | { kind: "end"; height: number };
/** Messages to the process that runs the benchmark. */
export type Report = { kind: "ready" } | { kind: "imported" | "ended"; figures: Figures };

const network = NETWORKS.local;
/** The server reserves the space of each stream, so that those of all runs must fit on its disk together. */
const RETENTION = { maxAge: 3_600_000, maxBytes: 200_000_000 };
const MAX_BACKLOG = 2_000_000_000;

let bytes = 0;

function report(message: Report): void {
  process.send!(message);
}

function ordered<Kind extends Order["kind"]>(kind: Kind): Promise<Extract<Order, { kind: Kind }>> {
  return new Promise((resolve) => {
    process.on("message", (order: Order) => {
      if (order.kind === kind) resolve(order as Extract<Order, { kind: Kind }>);
    });
  });
}

function fail(error: Error): void {
  throw error;
}

/** A database that has the genesis block. */
async function create(location: string): Promise<void> {
  await prepareDatabase({ network, database: await openLevelDatabase(location, { create: true }) });
}

function sealed(url: string, stream: string): SealedStream {
  return sealedStream({ servers: [url], stream }, { genesis: new Uint8Array(32), keys: [new Uint8Array(32).fill(1)] });
}

async function openWriter({ location, url, stream }: Task) {
  const log = { memory: batchLogMemory(), maxBytes: MAX_BACKLOG };
  const reader = url === undefined ? undefined : await BatchLogReader.open(location, log);
  const chain = await ThreadedChain.open({ network, location, isOpen: true, log: reader && log });
  if (reader === undefined) return chain;
  const address = sealed(url!, stream);
  const connection = (await connectTo(address, SILENT, new AbortController().signal))!;
  const head = () => ({ number: chain.best().header.number, hash: chain.best().hash });
  new Publisher({ address, connection, log: reader, retention: RETENTION, redundancy: 1, head, logger: SILENT }, fail);
  return chain;
}

async function openReplica({ location, url, stream }: Task) {
  const chain = await ReplicaChain.open({ network, location, onListenerError: fail as () => void });
  const follower = await BatchFollower.open(location, fail);
  const address = sealed(url!, stream);
  const connection = (await connectTo(address, SILENT, new AbortController().signal))!;
  const apply = ({ packed }: { packed: Uint8Array }, write: () => Promise<void>) => {
    bytes += packed.length;
    return chain.apply(packed, write);
  };
  const best = () => ({ number: chain.best().header.number, hash: chain.best().hash });
  new Subscriber({ address, connection, follower, apply, best, logger: SILENT }, fail);
  return chain;
}

async function importPaced(
  chain: Awaited<ReturnType<typeof openWriter>>,
  { files, pace, blocks }: Task,
): Promise<void> {
  const start = performance.now();
  let imported = 0;
  for await (const line of readBlockFile(files[0]!)) {
    if (!("entry" in line) || imported === blocks) break;
    await delay(Math.max(start + (imported++ * 1_000) / pace! - performance.now(), 0));
    await chain.import({ bytes: line.entry.rlp, source: "file" });
  }
}

const task = JSON.parse(process.argv[2]!) as Task;
await create(task.location);
const chain = await (task.kind === "writer" ? openWriter(task) : openReplica(task));
const times: Record<number, number> = {};
if (task.pace !== undefined) chain.on(({ number }) => (times[number] = performance.timeOrigin + performance.now()));
const [begun, ending] = [ordered("begin"), ordered("end")];
report({ kind: "ready" });
await begun;
const start = performance.now();
const before = process.cpuUsage();

function figures(): Figures {
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - start) / 1_000;
  return { seconds, processorSeconds: (user + system) / 1e6, best: chain.best().header.number, bytes, times };
}

if (task.kind === "writer") {
  const writer = chain as Awaited<ReturnType<typeof openWriter>>;
  if (task.pace === undefined) await importFiles(writer, task.files);
  else await importPaced(writer, task);
  report({ kind: "imported", figures: figures() });
}
const { height } = await ending;
while (chain.best().header.number < height) await delay(5);
report({ kind: "ended", figures: figures() });
