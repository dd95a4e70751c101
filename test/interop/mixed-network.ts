import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TcpGate } from "@cambium/test-utils/peers/tcp-gate";
import type { CambiumNode } from "./cambium-node.js";
import { type InteropNode, peerCount, tipOf } from "./interop-node.js";
import type { NodeGroup } from "./node-group.js";
import { dialling, type ReferenceNode, type ReferenceOptions } from "./reference-node.js";
import { waitFor } from "./wait-for.js";

/** Number of connections of every node, two of them within its half. */
const CONNECTIONS = 3;
const SETTINGS = { "rpc.modules.mnr.enabled": true, "rpc.modules.mnr.version": "1.0" };
const FLAGS = ["--p2p.wires", "libp2p,rlpx", "--p2p.port", "0", "--p2p.static", "--rpc.compatibility", "deployed"];

/**
 * Three deployed nodes and three of this project, in two halves with nodes of both clients. Three connections run
 * between the halves, through proxies: one between deployed nodes, one between nodes of this project, and one between
 * the two kinds.
 */
export class MixedNetwork {
  readonly deployed: ReferenceNode[] = [];
  readonly cambium: CambiumNode[] = [];
  readonly halves: [InteropNode[], InteropNode[]] = [[], []];
  private readonly gates: TcpGate[] = [];

  constructor(private readonly nodes: NodeGroup) {}

  get all(): InteropNode[] {
    return this.halves.flat();
  }

  async start(): Promise<void> {
    const first = await this.startDeployed(0);
    const second = await this.startCambium(0, "--p2p.nodes", first.enode);
    const third = await this.startDeployed(0, dialling(first, second));
    const fourth = await this.startCambium(1, "--p2p.bootnodes", await this.gateBefore(second.address));
    const beyond = { enode: await this.gateBefore(third.enode) };
    const fifth = await this.startDeployed(1, dialling(fourth, beyond));
    const distant = await this.gateBefore(first.enode);
    await this.startCambium(1, "--p2p.bootnodes", fourth.address, "--p2p.nodes", `${fifth.enode} ${distant}`);
    await this.isConnected();
  }

  /** Cuts the connections between the halves. */
  async cut(): Promise<void> {
    for (const gate of this.gates) gate.cut();
    await this.hasConnections(CONNECTIONS - 1);
  }

  async join(): Promise<void> {
    for (const gate of this.gates) gate.join();
    await this.isConnected();
  }

  isConnected(): Promise<void> {
    return this.hasConnections(CONNECTIONS);
  }

  /** Waits until nodes have the same best block; resolves with its hash. */
  async agree(nodes: readonly InteropNode[] = this.all, seconds?: number): Promise<string> {
    const what = `${nodes.map(({ name }) => name).join(", ")} have the same best block`;
    const tips = () => Promise.all(nodes.map(tipOf));
    const [tip] = await waitFor(what, tips, (seen) => new Set(seen.map(({ hash }) => hash)).size === 1, seconds);
    return tip!.hash;
  }

  close(): void {
    for (const gate of this.gates) gate.close();
  }

  private async hasConnections(count: number): Promise<void> {
    const counts = () => Promise.all(this.all.map(peerCount));
    await waitFor(`each node has ${count} peers`, counts, (seen) => seen.every((peers) => peers === count));
  }

  private async startDeployed(half: 0 | 1, settings: ReferenceOptions["settings"] = {}): Promise<ReferenceNode> {
    const name = `deployed-${this.deployed.length}`;
    const node = await this.nodes.reference(name, { settings: { ...SETTINGS, ...settings }, memory: "400m" });
    this.deployed.push(node);
    this.halves[half].push(node);
    return node;
  }

  private async startCambium(half: 0 | 1, ...flags: string[]): Promise<CambiumNode> {
    const node = await this.nodes.cambium(`cambium-${this.cambium.length}`, ...FLAGS, ...flags);
    this.cambium.push(node);
    this.halves[half].push(node);
    return node;
  }

  private async gateBefore(address: string): Promise<string> {
    const gate = await TcpGate.before(address);
    this.gates.push(gate);
    return gate.address;
  }
}

/** Returns the memory of a process in MiB. */
export async function residentMemory({ pid }: CambiumNode): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / 1024;
}
