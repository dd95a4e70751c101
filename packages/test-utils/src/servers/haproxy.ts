import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsAddress } from "../clients/scraped-metrics.js";
import type { RunningNode } from "../node-cli.js";
import { freePort } from "./free-port.js";

/** The configuration for an operator's replicas. */
const SHIPPED = new URL("../../../../packaging/cluster/haproxy.cfg", import.meta.url);
/** Pattern of a server in the shipped configuration: its name, and the text after its address. */
const SERVER = /^ {2}server (\S+) \S+(.*)$/gm;

/** Addresses of a server behind the balancer: its JSON-RPC and its metrics. */
export interface BalancedServer {
  port: number;
  metricsPort: number;
}

/** The addresses of a node that serves metrics. */
export function balancedServer({ url, greeting }: Pick<RunningNode, "url" | "greeting">): BalancedServer {
  return { port: Number(new URL(url).port), metricsPort: Number(new URL(metricsAddress(greeting)).port) };
}

/** Whether `haproxy` is installed; otherwise tests that need it are skipped. */
export function hasHaproxy(): boolean {
  return spawnSync("haproxy", ["-v"]).status === 0;
}

/** Returns the shipped configuration, in which only the named servers remain, with addresses on this machine. */
export function balancerConfig(
  port: number,
  metricsPort: number,
  servers: Readonly<Record<string, BalancedServer>>,
): string {
  return (
    readFileSync(SHIPPED, "utf8")
      // A lower number, because a test may open fewer files.
      .replace("maxconn 20000", "maxconn 2000")
      .replace("bind :4444", `bind 127.0.0.1:${port}`)
      .replace("bind :8405", `bind 127.0.0.1:${metricsPort}`)
      .replace(SERVER, (_, name: string, more: string) => {
        const server = servers[name];
        if (server === undefined) return "";
        const check = more.includes("track") ? "" : ` check port ${server.metricsPort}`;
        return `  server ${name} 127.0.0.1:${server.port}${check}${more}`;
      })
  );
}

/** HAProxy with the shipped configuration in front of servers of this machine. */
export class Haproxy {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Starts HAProxy. Resolves when it serves. */
  static async start(servers: Readonly<Record<string, BalancedServer>>): Promise<Haproxy> {
    const folder = mkdtempSync(join(tmpdir(), "cambium-haproxy-"));
    const [port, metricsPort] = [await freePort(), await freePort()];
    const path = join(folder, "haproxy.cfg");
    writeFileSync(path, balancerConfig(port, metricsPort, servers));
    const child = spawn("haproxy", ["-db", "-f", path], { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    const url = `http://127.0.0.1:${port}`;
    while ((await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined))?.ok !== true) {
      if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new Haproxy(url, child, folder);
  }

  get pid(): number {
    return this.process.pid!;
  }

  async stop(): Promise<void> {
    const exited = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
