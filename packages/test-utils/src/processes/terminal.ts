import { spawn, spawnSync } from "node:child_process";
import { NODE_CLI } from "../node-cli.js";

/** Whether {@link runOnTerminal} works on this machine. */
export function hasTerminal(): boolean {
  return spawnSync("script", ["--version"]).status === 0;
}

/**
 * Runs `bin/node-cli` on a terminal of 80 columns. Presses Ctrl+C when the output contains a text. Resolves with the
 * output.
 */
export async function runOnTerminal(args: readonly string[], interruptAt?: string): Promise<string> {
  const command = ["stty cols 80;", process.execPath, NODE_CLI, ...args].join(" ");
  // Node.js reads these variables to determine whether a terminal has colours.
  const { CI, NO_COLOR, FORCE_COLOR, ...others } = process.env;
  const env = { ...others, TERM: "xterm-256color" };
  const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"], env });
  let output = "";
  let isInterrupted = false;
  child.stdout.on("data", (chunk) => {
    output += chunk;
    if (isInterrupted || interruptAt === undefined || !output.includes(interruptAt)) return;
    isInterrupted = true;
    child.stdin.write("\u0003");
  });
  await new Promise((resolve) => child.on("close", resolve));
  return output;
}
