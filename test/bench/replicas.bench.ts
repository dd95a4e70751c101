import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type RunningNode, runCli, startNode, startReplica, withFolder } from "@cambium/test-utils/node-cli";
import { processorTime } from "@cambium/test-utils/processes/process-figures";
import { balancedServer, Haproxy, hasHaproxy } from "@cambium/test-utils/servers/haproxy";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { outsideVectorPath } from "@cambium/test-utils/vectors";
import { CpuShare } from "./replicas/cpu-share.js";
import { requestsFor } from "./rpc/endpoint-requests.js";
import { RepeatedRequest, requestBytes } from "./rpc/http-load.js";

type Print = (name: string, value: number, unit: string) => void;

const REPLICAS = 3;
/** Share of a core for each replica: the balancer and the clients need the rest of two. */
const SHARE = 0.2;
/** Number of clients for each replica; a client has one connection for each request. */
const CLIENTS = 6;
const WARM_UP_SECONDS = 40;
const SECONDS = 12;

/** Whether a request is a read; a balancer does not spread wide queries. */
const isRead = ({ name }: { name: string }) => !/batch|blocks, one sender/.test(name);

/**
 * Measures reads a second over one, two and three replicas behind HAProxy with the shipped configuration, and the cost
 * of a read.
 */
export async function run(print: Print): Promise<void> {
  const blocks = outsideVectorPath("chains", "long.blocks.1.txt.gz");
  if (blocks === undefined) return console.log("replicas: skipped, the long chain is outside the repository");
  if (!hasNatsServer() || !hasHaproxy())
    return console.log("replicas: skipped, nats-server or haproxy is not installed");
  await withFolder(async (folder) => {
    const nats = await NatsServer.start();
    const nodes: RunningNode[] = [];
    const shares = new CpuShare();
    try {
      const options = (name: string) => ["--network", "local", "--data-dir", join(folder, name)];
      await runCli("import", blocks, ...options("writer"));
      const writer = await startNode(...options("writer"), "--replicate", nats.url);
      nodes.push(writer);
      await runCli("db", "backup", join(folder, "copy"), ...options("writer"));
      const replicas = [];
      for (let i = 0; i < REPLICAS; i++) {
        cpSync(join(folder, "copy"), join(folder, `replica${i}`), { recursive: true });
        const flags = ["--from", nats.url, "--metrics.port", "0", "--log.format", "json"];
        const replica = await startReplica(...options(`replica${i}`), ...flags);
        nodes.push(replica);
        replicas.push(replica);
      }
      const areLimited = replicas.every(({ process }) => shares.limit(process.pid!, SHARE));
      if (!areLimited)
        console.log("replicas: without limits of processor time, for which this machine gives no rights");
      await measure(replicas, WARM_UP_SECONDS);
      let ofOne = 0;
      for (let count = 1; count <= REPLICAS; count++) {
        const { rate, cost } = await measure(replicas.slice(0, count), SECONDS);
        if (count === 1) ofOne = rate;
        print(`${count} replicas`, rate, "reads/s");
        print(`${count} replicas, efficiency`, rate / count / ofOne, "of one");
        print(`${count} replicas, processor time of a read`, cost * 1000, "µs");
        print(`${count} replicas, a million reads`, (cost * 1000) / 3600, "core hours");
      }
    } finally {
      await Promise.all(nodes.map((node) => node.stop("SIGKILL")));
      shares.remove();
      await nats.remove();
    }
  });
}

/** Measures reads a second, and the replicas' processor time for each in milliseconds. */
async function measure(replicas: readonly RunningNode[], seconds: number): Promise<{ rate: number; cost: number }> {
  const servers = replicas.map((replica, i) => [`replica${i + 1}`, balancedServer(replica)] as const);
  const haproxy = await Haproxy.start(Object.fromEntries(servers));
  const url = new URL(haproxy.url);
  const reads = (await requestsFor(url)).filter(isRead).map(({ body }) => requestBytes(url, body));
  let answered = 0;
  const repeated: RepeatedRequest[] = [];
  for (let client = 0; client < CLIENTS * replicas.length; client++) {
    // The balancer distinguishes clients by their address, and places them in turn.
    const localAddress = `127.0.1.${client + 1}`;
    for (const read of reads) repeated.push(new RepeatedRequest(url, read, () => answered++, localAddress));
    const before = answered;
    while (answered < before + reads.length) await delay(10);
  }
  await delay(1_000);
  const processor = () => replicas.reduce((total, { process }) => total + processorTime(process.pid!), 0);
  const [start, processorBefore] = [performance.now(), processor()];
  answered = 0;
  await delay(seconds * 1000);
  const result = {
    rate: (answered * 1000) / (performance.now() - start),
    cost: (processor() - processorBefore) / answered,
  };
  for (const one of repeated) one.stop();
  await haproxy.stop();
  return result;
}
