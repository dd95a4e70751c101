import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import { isInstalled, ServerProcess } from "./server-process.js";

export const hasNatsServer = (): boolean => isInstalled("nats-server");

/** The users and permissions for an operator's servers. */
const SHIPPED = new URL("../../../../packaging/cluster/nats.conf", import.meta.url);
/** A user of the shipped configuration. */
export type NatsUser = "writer" | "replica" | "feed" | "reader" | "operator";

/** Clock ticks a second, in Linux. */
const TICKS = 100;

interface NatsOptions {
  /** Text of its configuration. */
  config?: string;
  flags?: readonly string[];
  monitorPort?: number;
}

/** A NATS server with JetStream. */
export class NatsServer extends ServerProcess {
  private readonly monitorPort: number;

  private constructor(port: number, { config, flags = [], monitorPort = 0 }: NatsOptions) {
    super(port, (folder) => ({
      name: "nats-server",
      args: ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder, ...configured(folder, config), ...flags],
      env: PASSWORDS,
      logsTo: "stderr",
      readyText: "Server is ready",
    }));
    this.monitorPort = monitorPort;
  }

  /** Starts a server. `config` is the text of its configuration, if it has one. */
  static async start(config?: string): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), { config });
    await server.restart();
    return server;
  }

  /** Starts a server with the shipped users, for the streams of a network instead of those of main. */
  static startShipped(network: string): Promise<NatsServer> {
    return NatsServer.start(readFileSync(SHIPPED, "utf8").replaceAll("cambium-main", `cambium-${network}`));
  }

  /** Starts three servers that replicate their data. */
  static async startCluster(): Promise<NatsServer[]> {
    const names = ["a", "b", "c"];
    const routes = await Promise.all(names.map(async () => `nats://127.0.0.1:${await freePort()}`));
    const servers: NatsServer[] = [];
    for (const [i, name] of names.entries()) {
      const monitor = await freePort();
      const cluster = ["-cluster_name", "test", "-cluster", routes[i]!, "-routes", routes.join(",")];
      const flags = ["-n", name, ...cluster, "-m", String(monitor)];
      servers.push(new NatsServer(await freePort(), { flags, monitorPort: monitor }));
    }
    await Promise.all(servers.map((server) => server.restart()));
    return servers;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Returns the URL for a user of a server with the shipped users. */
  urlOf(user: NatsUser): string {
    return `nats://${user}:${passwordOf(user)}@127.0.0.1:${this.port}`;
  }

  /** Returns lines of the log about forbidden attempts of users. */
  get violations(): string[] {
    return this.log.split("\n").filter((line) => line.includes("Violation"));
  }

  /** Whether a server of a cluster has all data of the others. */
  async isCurrent(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.monitorPort}/healthz`).catch(() => undefined);
    return answer?.status === 200;
  }

  /**
   * Returns the seconds of processor time since the start; undefined where the operating system does not tell, and
   * while the server is not running.
   */
  processorSeconds(): number | undefined {
    const path = `/proc/${this.process?.pid}/stat`;
    if (!existsSync(path)) return undefined;
    const [, after] = readFileSync(path, "utf8").split(") ");
    const fields = after!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }
}

/** Returns the flags of a server with a configuration, which is written to its folder. */
function configured(folder: string, config: string | undefined): string[] {
  if (config === undefined) return [];
  const path = join(folder, "nats.conf");
  writeFileSync(path, config);
  return ["-c", path];
}

function passwordOf(user: NatsUser): string {
  return `password-of-${user}`;
}

/** Passwords in the form of the shipped configuration. */
const PASSWORDS = Object.fromEntries(
  (["writer", "replica", "feed", "reader", "operator"] as const).map((user) => [
    `NATS_${user.toUpperCase()}_PASSWORD`,
    passwordOf(user),
  ]),
);
