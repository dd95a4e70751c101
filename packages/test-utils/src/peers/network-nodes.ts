import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import {
  NetworkingError,
  type NetworkingOptions,
  openNetwork,
  openPeerScoring,
  type RunningNetwork,
  type RunningPeerScoring,
} from "@cambium/networking";
import { type ServedSources, type Timings, timingsOf } from "@cambium/networking/testing";
import type { Logger } from "@cambium/primitives";
import type { HandshakeRandom } from "@cambium/rlpx/testing";
import type { Libp2p } from "@libp2p/interface";
import { SILENT } from "../silent-logger.js";
import { networkOptions } from "./network-options.js";

const show = (level: string) => (details: object, message: string) => console.error(level, message, details);

const LOGGER: Logger = process.env.SHOW_LOG
  ? { debug: show("debug"), info: show("info"), warn: show("warn"), error: show("error") }
  : SILENT;

/** A node under test, with the parts that tests inspect. */
export interface TestNode {
  network: RunningNetwork;
  scoring: RunningPeerScoring;
  chain: Chain;
  folder: string;
  address: string;
}

export interface TestNodeOptions extends Partial<Omit<NetworkingOptions, "network">> {
  chain?: Chain;
  network?: NetworkConfig;
  sources?: Partial<ServedSources>;
  timings?: Timings;
  logger?: Logger;
  /** Random input of handshakes over RLPx. */
  handshakeRandom?: () => HandshakeRandom;
}

/** Starts nodes on 127.0.0.1 and stops all of them at the end. */
export class TestNodes {
  private readonly running: TestNode[] = [];
  private readonly folders: string[] = [];

  async start(options: TestNodeOptions = {}): Promise<TestNode> {
    const {
      chain = await openTestChain(options.network),
      sources,
      timings,
      logger = LOGGER,
      handshakeRandom,
      network: _,
      ...own
    } = options;
    const folder = own.folder ?? (await this.folder());
    const scoring = openPeerScoring({ folder, bannedPeers: [], bannedAddresses: [], now: Date.now });
    const network = await openNetwork(
      { ...networkOptions(chain.network, folder), listen: ["/ip4/127.0.0.1/tcp/0"], ...own, folder },
      {
        sources: { chain, pooledTransaction: () => undefined, earliestBody: () => 0, ...sources },
        scoring,
        logger,
        timings: timings ?? timingsOf(),
        ...(handshakeRandom && { handshakeRandom }),
      },
    );
    const node = { network, scoring, chain, folder, address: network.listenAddresses()[0] ?? "" };
    this.running.push(node);
    return node;
  }

  /** Starts two nodes that are connected to each other. */
  async pair(one: TestNodeOptions = {}, other: TestNodeOptions = {}): Promise<[TestNode, TestNode]> {
    const first = await this.start(one);
    const second = await this.start(other);
    await first.network.dial(second.address);
    await until(() => second.network.peer(first.network.ownId) !== undefined);
    return [first, second];
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "networking-"));
    this.folders.push(folder);
    return folder;
  }

  async stop(node: TestNode): Promise<void> {
    await node.network.stop();
    node.scoring.close();
    this.running.splice(this.running.indexOf(node), 1);
  }

  async end(): Promise<void> {
    await Promise.all([...this.running].map((node) => this.stop(node)));
    for (const folder of this.folders.splice(0)) await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the peers and addresses with faults in a node's scoring. */
export function faultsOf({ scoring }: Pick<TestNode, "scoring">) {
  return scoring.peerList().filter(({ score, timeoutMessages, unexpectedMessages, goodReputation }) => {
    return score < 0 || timeoutMessages > 0 || unexpectedMessages > 0 || !goodReputation;
  });
}

/** Returns the library inside a node. */
export function libp2pOf({ network }: TestNode): Libp2p {
  return (network as unknown as { host: { libp2p: Libp2p } }).host.libp2p;
}

export function openTestChain(network: NetworkConfig = NETWORKS.local): Promise<Chain> {
  return openChain({ network, database: new MemoryDatabase() });
}

/** Waits until a condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>, milliseconds = 120_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("the condition did not hold in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof NetworkingError) return error.code;
    throw error;
  }
}
