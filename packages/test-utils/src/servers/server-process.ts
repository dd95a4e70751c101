import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether a program is installed; otherwise tests that need it are skipped. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

export interface ServerProgram {
  name: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Output to which the server logs. */
  logsTo: "stdout" | "stderr";
  /** Text in the log when the server is ready. */
  readyText: string;
}

/** A server on this machine, which can be killed and started again with the data in its folder. */
export class ServerProcess {
  readonly folder: string;
  protected process: ChildProcess | undefined;
  protected log = "";

  constructor(
    readonly port: number,
    private readonly program: (folder: string) => ServerProgram,
  ) {
    this.folder = mkdtempSync(join(tmpdir(), "cambium-server-"));
  }

  /** Starts the server again after {@link kill}. Resolves when it is ready. */
  async restart(): Promise<void> {
    const { name, args, env = {}, logsTo, readyText } = this.program(this.folder);
    const started = spawn(name, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    this.process = started;
    this.log = "";
    const [lines, others] = logsTo === "stdout" ? [started.stdout, started.stderr] : [started.stderr, started.stdout];
    others.resume();
    for await (const text of lines.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      this.log += text;
      if (this.log.includes(readyText)) break;
    }
    if (!this.log.includes(readyText)) throw new Error(`${name} did not start: ${this.log}`);
    lines.on("data", (text: string) => (this.log += text));
  }

  async kill(): Promise<void> {
    const { process: running } = this;
    if (running === undefined) return;
    this.process = undefined;
    const exited = once(running, "exit");
    running.kill("SIGKILL");
    await exited;
  }

  /** Kills the server and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
