import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chain, ChainReader } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { openNetwork, openPeerScoring, type PeerId, type RunningNetwork } from "@cambium/networking";
import { nodeId } from "@cambium/networking/testing";
import { copyOf, emptyChain } from "../mined-chains.js";
import { type Json, RpcClient, sleep } from "../rpc-client.js";
import { SILENT } from "../silent-logger.js";
import { networkOptions } from "./network-options.js";
import { bestOf, type PeerNode } from "./peer-nodes.js";
import { RawPeer, type RawPeerOptions } from "./raw-peer.js";

const MOST_BLOCKS = 16;

/** Returns seconds since 1970; the chains of hostile peers extend those of running nodes. */
export const clock = (): number => Math.floor(Date.now() / 1000);

/** A proxy of an object with some members replaced. */
export function tampered<T extends object>(target: T, lies: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(lies, key)) return lies[key as keyof T];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Hostile peers in the test process. */
export class HostilePeers {
  private readonly folder = mkdtempSync(join(tmpdir(), "cambium-hostile-"));
  private readonly endings: (() => Promise<unknown> | unknown)[] = [];
  private mirror: Promise<Chain> | undefined;
  private started = 0;

  /** Starts a peer that speaks the protocol correctly and serves the given chain. */
  async start(chain: ChainReader): Promise<RunningNetwork> {
    const folder = join(this.folder, `${this.started++}`);
    const scoring = openPeerScoring({ folder, bannedPeers: [], bannedAddresses: [], now: Date.now });
    const sources = { chain, pooledTransaction: () => undefined, earliestBody: () => 0 };
    const network = await openNetwork(networkOptions(chain.network, folder), { sources, scoring, logger: SILENT });
    this.endings.push(async () => {
      await network.stop();
      scoring.close();
    });
    return network;
  }

  /** Starts a peer that sends arbitrary bytes; each connects from a different address. */
  async raw(options: RawPeerOptions = {}): Promise<RawPeer> {
    const peer = await RawPeer.start({ from: this.nextAddress(), listens: false, ...options });
    this.endings.push(() => peer.libp2p.stop());
    return peer;
  }

  /** The next loopback address. */
  private nextAddress(): string {
    return `127.0.${1 + (this.started++ % 250)}.1`;
  }

  /** Copies the current chain of a running node, optionally into a more lenient chain. */
  async chainOf(node: PeerNode, into?: Chain): Promise<Chain> {
    this.mirror ??= emptyChain(undefined, clock);
    const mirror = await this.mirror;
    const { number } = await bestOf(node);
    const network = await this.start(mirror);
    const { id } = await network.dial(node.address);
    for (let next = mirror.best().header.number + 1; next <= number; next += MOST_BLOCKS) {
      const heights = Array.from({ length: Math.min(MOST_BLOCKS, number - next + 1) }, (_, i) => next + i);
      const hashes = (await network.hashes(id, heights)) as Uint8Array[];
      for await (const block of network.blocks(id, hashes)) await mirror.import({ bytes: block!, source: "sync" });
    }
    await network.stop();
    return copyOf(mirror, number, into ?? (await emptyChain(undefined, clock)));
  }

  /** Stops all peers. */
  async leave(): Promise<void> {
    await Promise.all(this.endings.splice(0).map((end) => end()));
  }

  /** Stops all peers and releases everything. */
  async end(): Promise<void> {
    await this.leave();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A node's entry for a peer in `sco_peerList`; undefined if there is none. */
export async function cardOf({ rpc }: PeerNode, peer: PeerId): Promise<Json> {
  const shown = nodeId(peer)!.shown;
  const cards: Json[] = await rpc.call("sco_peerList");
  return cards.find(({ id, type }) => type === "node" && id === shown);
}

/** Whether a node is connected to a peer. */
export async function isPeerOf({ rpc }: PeerNode, peer: PeerId): Promise<boolean> {
  const list: string[] = await rpc.call("net_peerList");
  return list.some((line) => line.startsWith(`${peer} `));
}

/** Peer id at the end of a node's address. */
export function idOf({ address }: PeerNode): PeerId {
  return address.split("/").at(-1)!;
}

/** Resident bytes of a node's process. */
export function memoryOf({ node }: PeerNode): number {
  const [, kilobytes] = readFileSync(`/proc/${node.process.pid}/status`, "utf8").match(/^VmRSS:\s+(\d+) kB$/m)!;
  return Number(kilobytes) * 1024;
}

/** Requests a node's height ten times a second. The returned function ends that, and returns the longest wait. */
export function askAllTheTime({ node }: PeerNode): () => Promise<number> {
  const rpc = new RpcClient(node.url);
  let isOver = false;
  let longest = 0;
  const asking = (async () => {
    while (!isOver) {
      const start = performance.now();
      await rpc.call("eth_blockNumber");
      longest = Math.max(longest, performance.now() - start);
      await sleep(100);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return longest;
  };
}

/** The local network. */
export const LOCAL = NETWORKS.local;
