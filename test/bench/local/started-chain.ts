import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { processorTime, statOf } from "@cambium/test-utils/processes/process-figures";
import { sleep } from "@cambium/test-utils/rpc-client";
import { HttpConnection } from "./connection.js";

/** A program that runs a development chain, and its command line for a folder and a port. */
export interface LocalChain {
  name: string;
  command: string;
  args: (folder: string, port: number) => string[];
  /** Folder to start the program in. */
  cwd?: string;
}

const NODE_CLI = fileURLToPath(new URL("../../../bin/node-cli", import.meta.url));
const TOOLS = new URL("../../tools/", import.meta.url);

const CAMBIUM: LocalChain = {
  name: "Cambium",
  command: process.execPath,
  args: (_folder, port) => [NODE_CLI, "dev", "--quiet", "--http.port", `${port}`],
};
const ANVIL: LocalChain = {
  name: "Anvil",
  command: toolPath("anvil"),
  args: (_folder, port) => ["--silent", "--port", `${port}`],
};
const HARDHAT: LocalChain = {
  name: "Hardhat",
  command: toolPath("hardhat"),
  args: (_folder, port) => ["--config", "bench.config.cjs", "node", "--hostname", "127.0.0.1", "--port", `${port}`],
  cwd: fileURLToPath(new URL("hardhat/", TOOLS)),
};

/** Returns this node, and the other programs if they are installed. Reports those that are not. */
export function localChains(report: (line: string) => void): LocalChain[] {
  const installed = [ANVIL, HARDHAT].filter(({ name, command }) => {
    const isInstalled = existsSync(command);
    if (!isInstalled)
      report(`${name} is not measured, because it is not installed: run npm install --prefix test/tools`);
    return isInstalled;
  });
  return [CAMBIUM, ...installed];
}

function toolPath(name: string): string {
  return fileURLToPath(new URL(`node_modules/.bin/${name}`, TOOLS));
}

/** Milliseconds between two attempts to connect. */
const PAUSE = 2;

/** A running chain. */
export class StartedChain {
  private constructor(
    readonly url: URL,
    /** Seconds from the start of the process to its first answer. */
    readonly startSeconds: number,
    private readonly child: ChildProcess,
  ) {}

  static async start({ command, args, cwd }: LocalChain, folder: string, port: number): Promise<StartedChain> {
    const start = performance.now();
    const child = spawn(command, args(folder, port), {
      cwd,
      stdio: "ignore",
      // A launcher and its program end together.
      detached: true,
      env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" },
    });
    const url = new URL(`http://127.0.0.1:${port}`);
    const connection = new HttpConnection(url);
    for (;;) {
      const answer = await connection.ask("eth_chainId").catch(() => undefined);
      if (answer !== undefined) break;
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      await sleep(PAUSE);
    }
    const startSeconds = (performance.now() - start) / 1000;
    connection.close();
    return new StartedChain(url, startSeconds, child);
  }

  /** Returns the milliseconds of processor time of all its processes so far; Linux only. */
  processorTime(): number {
    return sum(this.processes(), processorTime);
  }

  /** Resident memory of all its processes in MB; Linux only. */
  memory(): number {
    return sum(this.processes(), (pid) => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.on("close", resolve));
    process.kill(-this.child.pid!, "SIGTERM");
    await ended;
  }

  /** The process that was started is the leader of their group. */
  private processes(): number[] {
    const group = String(this.child.pid);
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return all.map(Number).filter((pid) => statOf(pid)[2] === group);
  }
}

function sum(pids: readonly number[], figure: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + figure(pid), 0);
}
