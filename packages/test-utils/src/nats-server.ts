import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";

/** Whether `nats-server` is installed: without it, tests that need it are skipped. */
export function hasNatsServer(): boolean {
  return spawnSync("nats-server", ["--version"]).status === 0;
}

/** The users and permissions for an operator's servers. */
const SHIPPED = new URL("../../../packaging/cluster/nats.conf", import.meta.url);
/** A user of the shipped configuration. */
export type NatsUser = "writer" | "replica" | "feed" | "reader" | "operator";

/** Of a second, in Linux. */
const TICKS = 100;

/** A NATS server with JetStream on this machine, which can be killed and started again with what it has stored. */
export class NatsServer {
  private process: ChildProcess | undefined;
  private log = "";

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly flags: readonly string[] = [],
    private readonly monitorPort = 0,
  ) {}

  /** `config`: the text of its configuration, if it has one. */
  static async start(config = ""): Promise<NatsServer> {
    const folder = mkdtempSync(join(tmpdir(), "cambium-nats-"));
    const path = join(folder, "nats.conf");
    writeFileSync(path, config);
    const server = new NatsServer(await freePort(), folder, config === "" ? [] : ["-c", path]);
    await server.restart();
    return server;
  }

  /** A server with the shipped users, for the streams of a network instead of those of main. */
  static startShipped(network: string): Promise<NatsServer> {
    return NatsServer.start(readFileSync(SHIPPED, "utf8").replaceAll("cambium-main", `cambium-${network}`));
  }

  /** Three servers that replicate what they store. */
  static async startCluster(): Promise<NatsServer[]> {
    const names = ["a", "b", "c"];
    const routes = await Promise.all(names.map(async () => `nats://127.0.0.1:${await freePort()}`));
    const servers: NatsServer[] = [];
    for (const [i, name] of names.entries()) {
      const monitor = await freePort();
      const cluster = ["-cluster_name", "test", "-cluster", routes[i]!, "-routes", routes.join(",")];
      const flags = ["-n", name, ...cluster, "-m", String(monitor)];
      servers.push(new NatsServer(await freePort(), mkdtempSync(join(tmpdir(), "cambium-nats-")), flags, monitor));
    }
    await Promise.all(servers.map((server) => server.restart()));
    return servers;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** For a user of a server with the shipped ones. */
  urlOf(user: NatsUser): string {
    return `nats://${user}:${passwordOf(user)}@127.0.0.1:${this.port}`;
  }

  /** Lines of the log about what users tried without permission. */
  get violations(): string[] {
    return this.log.split("\n").filter((line) => line.includes("Violation"));
  }

  /** Whether a server of a cluster has all that the others have stored. */
  async isCurrent(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.monitorPort}/healthz`).catch(() => undefined);
    return answer?.status === 200;
  }

  /**
   * Seconds of processor time since it was started; undefined where the operating system does not tell, and while it is
   * not running.
   */
  processorSeconds(): number | undefined {
    const path = `/proc/${this.process?.pid}/stat`;
    if (!existsSync(path)) return undefined;
    const [, after] = readFileSync(path, "utf8").split(") ");
    const fields = after!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }

  /** Starts the server again after {@link kill}. Resolves when it is ready. */
  async restart(): Promise<void> {
    const args = ["-a", "127.0.0.1", "-p", String(this.port), "-js", "-sd", this.folder, ...this.flags];
    const env = { ...process.env, ...PASSWORDS };
    const started = spawn("nats-server", args, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.process = started;
    this.log = "";
    started.stderr.setEncoding("utf8");
    for await (const text of started.stderr.iterator({ destroyOnReturn: false })) {
      this.log += text;
      if (this.log.includes("Server is ready")) break;
    }
    if (!this.log.includes("Server is ready")) throw new Error(`nats-server did not start: ${this.log}`);
    started.stderr.on("data", (text: string) => (this.log += text));
  }

  async kill(): Promise<void> {
    const { process: running } = this;
    if (running === undefined) return;
    this.process = undefined;
    const exited = once(running, "exit");
    running.kill("SIGKILL");
    await exited;
  }

  /** Kills the server and removes what it has stored. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function passwordOf(user: NatsUser): string {
  return `password-of-${user}`;
}

/** As the shipped configuration takes them. */
const PASSWORDS = Object.fromEntries(
  (["writer", "replica", "feed", "reader", "operator"] as const).map((user) => [
    `NATS_${user.toUpperCase()}_PASSWORD`,
    passwordOf(user),
  ]),
);
