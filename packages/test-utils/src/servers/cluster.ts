import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databasePath } from "@cambium/database";
import { contentOf } from "../chains/chain-content.js";
import { type RunningNode, runCli, startNode, startReplica } from "../node-cli.js";
import { RpcClient, until } from "../rpc-client.js";
import { NatsServer } from "./nats-server.js";

const NETWORK = ["--network", "local"];

/** Nodes and replicas of the local network by name, their NATS servers and the folder of their databases. */
export class Cluster {
  readonly nodes = new Map<string, RunningNode>();
  readonly folder = mkdtempSync(join(tmpdir(), "cambium-cluster-"));
  private readonly ends: (() => Promise<unknown>)[] = [];

  private constructor(readonly servers: readonly NatsServer[]) {}

  /** Starts a cluster with one NATS server, unless servers are given. */
  static async start(servers?: readonly NatsServer[]): Promise<Cluster> {
    return new Cluster(servers ?? [await NatsServer.start()]);
  }

  /** The first NATS server. */
  get nats(): NatsServer {
    return this.servers[0]!;
  }

  /** Addresses of the NATS servers, as flags take them. */
  get url(): string {
    return this.servers.map(({ url }) => url).join();
  }

  node(name: string): RunningNode {
    return this.nodes.get(name) ?? assert.fail(`there is no node ${name}`);
  }

  data(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the flags of a command on the database of a node. */
  flags(name: string): string[] {
    return [...NETWORK, "--data-dir", this.data(name)];
  }

  /** Starts a node that replicates to `url`. */
  startWriter(name: string, flags: readonly string[] = [], url = this.url): Promise<RunningNode> {
    return this.add(name, startNode(...this.flags(name), "--replicate", url, ...flags));
  }

  /** Starts a replica that reads the stream at `url`. */
  startReplica(name: string, flags: readonly string[] = [], url = this.url): Promise<RunningNode> {
    return this.add(name, startReplica(...this.flags(name), "--from", url, ...flags));
  }

  /** Adds a node. It replaces a former node of that name. */
  async add(name: string, starting: Promise<RunningNode>): Promise<RunningNode> {
    const node = await starting;
    this.nodes.set(name, node);
    return node;
  }

  /** Copies the database of a node to the folder of a node that does not exist yet. */
  async backup(from: string, to: string): Promise<void> {
    const { status, stderr } = await runCli("db", "backup", this.data(to), ...this.flags(from));
    assert.equal(status, 0, stderr);
  }

  /** Waits until a node has the best block of another. */
  async follows(node: RunningNode, other: RunningNode): Promise<void> {
    await until(async () => (await headOf(node)) === (await headOf(other)));
  }

  /** Returns a hash of the tables of a node that does not run. */
  content(name: string): Promise<string> {
    return contentOf(databasePath(this.data(name)));
  }

  /** Kills all nodes, and checks that they have the same tables. */
  async endEqual(names: Iterable<string> = this.nodes.keys()): Promise<void> {
    const [first, ...others] = names;
    await this.killNodes();
    const expected = await this.content(first!);
    for (const name of others) assert.equal(await this.content(name), expected, name);
  }

  async killNodes(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.stop("SIGKILL")));
  }

  /** Registers a function that {@link remove} calls before it ends the NATS servers. */
  onEnd(end: () => Promise<unknown>): void {
    this.ends.push(end);
  }

  /** Ends everything and removes the databases. */
  async remove(): Promise<void> {
    await this.killNodes();
    for (const end of this.ends.splice(0)) await end();
    await Promise.all(this.servers.map((server) => server.remove()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Hash of a node's best block. */
export async function headOf({ url }: RunningNode): Promise<string> {
  return (await new RpcClient(url, false).call("eth_getBlockByNumber", "latest", false)).hash;
}
