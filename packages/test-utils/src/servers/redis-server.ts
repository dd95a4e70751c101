import { freePort } from "./free-port.js";
import { isInstalled, ServerProcess } from "./server-process.js";

export const hasRedisServer = (): boolean => isInstalled("redis-server");

/** A Redis server that writes each change to its disk. */
export class RedisServer extends ServerProcess {
  static async start(): Promise<RedisServer> {
    const port = await freePort();
    const server = new RedisServer(port, (folder) => ({
      name: "redis-server",
      args: [
        ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
        ...["--save", "", "--appendonly", "yes", "--appendfsync", "always"],
      ],
      logsTo: "stdout",
      readyText: "Ready to accept connections",
    }));
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }
}
