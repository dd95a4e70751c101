import { execFile } from "node:child_process";

/** Returns the standard output of a command. Rejects with its output if it fails. */
export function runTool(
  name: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const path = new URL(`node_modules/.bin/${name}`, import.meta.url).pathname;
  const env = { ...process.env, ...options.env };
  return new Promise<string>((resolve, reject) => {
    execFile(path, args, { ...options, env }, (error, stdout, stderr) => {
      // The launcher of `cast` exits with status 0 even if the command fails.
      if (error === null && !/^Error:/m.test(stderr)) resolve(stdout.trim());
      else reject(new Error(`${name} ${args.join(" ")}: ${stdout}${stderr}`, { cause: error }));
    });
  });
}
