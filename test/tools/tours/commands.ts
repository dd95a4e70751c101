import { spawn, spawnSync } from "node:child_process";

/** Whether a command is installed, that is, can be started. */
export function isInstalled(command: string): boolean {
  return spawnSync(command, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Runs a command in a folder and returns its output. Rejects with all its output if it fails. */
export function runIn(folder: string, [program, ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<string>((resolve, reject) => {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(program!, args, { cwd: folder, env: { ...process.env, ...env }, stdio: [...stdio] });
    let [output, errors] = ["", ""];
    child.stdout!.on("data", (chunk) => (output += chunk));
    child.stderr!.on("data", (chunk) => (errors += chunk));
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve(output);
      else reject(new Error(`${program} ${args.join(" ")}: status ${status}: ${output}${errors}`));
    });
  });
}
