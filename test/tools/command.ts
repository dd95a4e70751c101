import { execFile } from "node:child_process";

/** What a command of the tools wrote to its standard output. Rejects, with what it wrote, if it fails. */
export function runTool(
  name: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const path = new URL(`node_modules/.bin/${name}`, import.meta.url).pathname;
  const env = { ...process.env, ...options.env };
  return new Promise<string>((resolve, reject) => {
    execFile(path, args, { ...options, env }, (error, stdout, stderr) => {
      // the launcher of `cast` ends well whatever the command says
      if (error === null && !/^Error:/m.test(stderr)) resolve(stdout.trim());
      else reject(new Error(`${name} ${args.join(" ")}: ${stdout}${stderr}`, { cause: error }));
    });
  });
}
