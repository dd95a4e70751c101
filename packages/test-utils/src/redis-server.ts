import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";

/** Whether `redis-server` is installed: without it, tests that need it are skipped. */
export function hasRedisServer(): boolean {
  return spawnSync("redis-server", ["--version"]).status === 0;
}

/** A Redis server on this machine, which can be killed and started again with what it has stored. */
export class RedisServer {
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), mkdtempSync(join(tmpdir(), "cambium-redis-")));
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server again after {@link kill}. Resolves when it is ready. */
  async restart(): Promise<void> {
    const settings = ["--bind", "127.0.0.1", "--dir", this.folder, "--save", "", "--appendonly", "yes"];
    const args = ["--port", String(this.port), ...settings, "--appendfsync", "always"];
    const started = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
    this.process = started;
    let log = "";
    started.stdout.setEncoding("utf8");
    for await (const text of started.stdout.iterator({ destroyOnReturn: false })) {
      log += text;
      if (log.includes("Ready to accept connections")) break;
    }
    if (!log.includes("Ready to accept connections")) throw new Error(`redis-server did not start: ${log}`);
    started.stdout.resume();
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
