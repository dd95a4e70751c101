import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "@cambium/test-utils/rpc-client";
import { runIn } from "../tours/commands.js";
import { INSTALL } from "../tours/libraries.js";

/** The folder of a program's project below this one. */
export function projectOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Installs the packages of a program, whose versions are in its project. */
export async function installPackages(name: string): Promise<void> {
  await runIn(projectOf(name), INSTALL);
}

/** A program that runs until it is stopped. */
export class StartedProgram {
  output = "";

  private constructor(private readonly child: ChildProcess) {
    const read = (chunk: Buffer) => (this.output += chunk);
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
  }

  static start(folder: string, [program, ...args]: readonly string[], env: NodeJS.ProcessEnv): StartedProgram {
    return new StartedProgram(spawn(program!, args, { cwd: folder, env: { ...process.env, ...env }, detached: true }));
  }

  /** Waits for a condition. Rejects with the program's output if it ends before, or after a timeout. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    await until(async () => {
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}`);
      return condition();
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${this.output}`);
    });
  }

  /** Stops the program and its child processes. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.on("close", resolve));
    process.kill(-this.child.pid!, "SIGTERM");
    await ended;
  }
}
