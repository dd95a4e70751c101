import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawnCli } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";

/** A running `node-cli dev`. */
export interface Dev {
  process: ChildProcess;
  url: string;
  rpc: RpcClient;
  output(): string;
  stop(): Promise<number | null>;
}

/** Starts `node-cli dev` on a free port, and waits until it serves. */
export async function startDev(...options: string[]): Promise<Dev> {
  const child = spawnCli("dev", "--http.port", "0", ...options);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let output = "";
  child.stdout!.on("data", (chunk) => (output += chunk));
  child.stderr!.on("data", (chunk) => (output += chunk));
  const find = () => output.match(/(?:RPC URL +|"url":")(http:\/\/[\d.]+:\d+)/)?.[1];
  await until(async () => find() !== undefined || child.exitCode !== null);
  const url = find();
  assert(url !== undefined, output);
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { process: child, url, rpc: new RpcClient(url), output: () => output, stop };
}
