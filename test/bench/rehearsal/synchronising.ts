import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { networkJson } from "@cambium/config";
import { type ScrapedMetrics, scrape } from "@cambium/test-utils/clients/scraped-metrics";
import { type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { processorTime } from "@cambium/test-utils/processes/process-figures";
import { type Figures, processFigures, STAGES, THREADS } from "./figures.js";
import { HISTORY, rehearsalNetwork } from "./network.js";

const BEST = "cambium_best_block_number";

/** Milliseconds between two looks at the best block. */
const POLL = 250;

/** Figures of the node that synchronises, and the processor time of the others. */
export interface SyncFigures extends Figures {
  servingCpuSeconds: number;
}

/**
 * Synchronises a node from others, with data folders on this machine, up to block `last`. The time counts from when the
 * node serves JSON-RPC. The others have the lowest priority: on machines of their own, they would take none of its
 * cores.
 */
export async function synchronise(from: readonly string[], to: string, last: number): Promise<SyncFigures> {
  const definition = join(from[0]!, "network.json");
  writeFileSync(definition, JSON.stringify(await networkJson(rehearsalNetwork())));
  const flags = [
    "--network",
    definition,
    "--state.history",
    `${HISTORY}`,
    "--metrics.port",
    "0",
    "--p2p.wires",
    "libp2p",
  ];
  const nodes: PeerNode[] = [];
  const start = async (folder: string, bootNodes: readonly string[]) => {
    const node = await startPeerNode(folder, bootNodes, ...flags);
    nodes.push(node);
    return node;
  };
  try {
    for (const folder of from) await start(folder, []);
    const pids = nodes.map(({ node }) => node.process.pid!);
    for (const pid of pids) setPriority(pid, constants.priority.PRIORITY_LOW);
    const servingCpu = () => pids.reduce((sum, pid) => sum + processorTime(pid) / 1_000, 0);
    const before = servingCpu();
    const addresses = nodes.map(({ address }) => address);
    const figures = await measure(await start(to, addresses), last);
    return { ...figures, servingCpuSeconds: servingCpu() - before };
  } finally {
    await Promise.all(nodes.map(({ node }) => node.stop()));
  }
}

async function measure({ node }: PeerNode, last: number): Promise<Figures> {
  const pid = node.process.pid!;
  const [started, cpuBefore, before] = [performance.now(), processorTime(pid), processFigures(pid)];
  const firstBlock = (await scrape(node.greeting)).get(BEST) ?? 0;
  let metrics = await scrape(node.greeting);
  while ((metrics.get(BEST) ?? 0) < last) {
    await delay(POLL);
    metrics = await scrape(node.greeting);
  }
  const seconds = (performance.now() - started) / 1_000;
  const { peakMegabytes, written } = processFigures(pid);
  return {
    blocks: last - firstBlock,
    seconds,
    cpuSeconds: (processorTime(pid) - cpuBefore) / 1_000,
    peakMegabytes,
    written: written - before.written,
    stages: byLabel(metrics, `${STAGES.name}_sum`, STAGES.label),
    threads: byLabel(metrics, THREADS.name, THREADS.label),
  };
}

function byLabel(metrics: ScrapedMetrics, name: string, label: string): Record<string, number> {
  const labelled = new RegExp(`${label}="(.+)"`);
  return Object.fromEntries(metrics.seriesOf(name).map((one) => [labelled.exec(one)![1]!, metrics.get(one)!]));
}
