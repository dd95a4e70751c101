import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Command that runs a Bitcoin node (`bitcoind` of Bitcoin Core or Knots); undefined if the tests have none. */
export const BITCOIND: string | undefined = process.env.CAMBIUM_BITCOIND;

const USER = "cambium";
const PASSWORD = "regtest";

/** A Bitcoin node on a separate regression test network, with a wallet. */
export class BitcoinNode {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), "cambium-bitcoin-"));

  private constructor(private readonly port: number) {}

  static async start(): Promise<BitcoinNode> {
    const node = new BitcoinNode(await freePort());
    // Knots' own rules do not relay spends of flyover addresses. Bitcoin Core ignores the line.
    writeFileSync(join(node.folder, "bitcoin.conf"), "corepolicy=1\n");
    await node.run();
    await node.call("createwallet", "test");
    return node;
  }

  /** Returns the URL with user name and password. */
  get url(): string {
    return `http://${USER}:${PASSWORD}@127.0.0.1:${this.port}`;
  }

  /** Starts the process, again after {@link halt}. */
  async run(): Promise<void> {
    const options = [
      "-regtest",
      `-datadir=${this.folder}`,
      `-rpcport=${this.port}`,
      `-rpcuser=${USER}`,
      `-rpcpassword=${PASSWORD}`,
      "-listen=0",
      "-fallbackfee=0.0002",
    ];
    this.process = spawn("sh", ["-c", `exec ${BITCOIND} "$@"`, "sh", ...options], { stdio: "ignore" });
    while (
      await this.call("getblockcount").then(
        () => false,
        () => true,
      )
    ) {
      if (this.process.exitCode !== null) throw new Error(`${BITCOIND} ended with status ${this.process.exitCode}`);
      await setTimeout(100);
    }
  }

  /** Stops the process; its data stay. */
  async halt(): Promise<void> {
    const ended = new Promise((resolve) => this.process!.once("close", resolve));
    this.process!.kill("SIGTERM");
    await ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted by the tests
  call(method: string, ...params: unknown[]): Promise<any> {
    return this.request("", method, params);
  }

  /** Calls a method of the wallet with that name; necessary once there are several wallets. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted by the tests
  wallet(name: string, method: string, ...params: unknown[]): Promise<any> {
    return this.request(`wallet/${name}`, method, params);
  }

  private async request(path: string, method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.port}/${path}`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: unknown; error: { message: string } | null };
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
