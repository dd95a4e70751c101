import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Result of a finished command. */
export interface CommandResult {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/**
 * Configuration with long limits: on a busy machine, the first call alone may exceed the default limit, because its
 * thread starts slowly.
 */
const PATIENT_RPC = fileURLToPath(new URL("patient-rpc.json", import.meta.url));
export const NODE_CLI = fileURLToPath(new URL("../../../bin/node-cli", import.meta.url));

/** Starts `bin/node-cli` like a user. */
export function spawnCli(...args: string[]): ChildProcess {
  return spawnProgram(NODE_CLI, ...args);
}

function spawnProgram(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env: operatorEnvironment() });
}

/** Returns the environment without the variables of the tests, because commands would warn of them. */
function operatorEnvironment(): NodeJS.ProcessEnv {
  const { CAMBIUM_BITCOIND, CAMBIUM_CHROMIUM, CAMBIUM_KILLS, CAMBIUM_REFERENCE, CAMBIUM_VECTORS, ...env } = process.env;
  return env;
}

/** Runs a command to its end. */
export function runCli(...args: string[]): Promise<CommandResult> {
  return ended(spawnCli(...args));
}

/** Runs a command to its end, with standard input. */
export function runCliWithInput(input: Uint8Array, ...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [NODE_CLI, ...args]);
  child.stdin.on("error", () => undefined); // It may end before it has read all.
  child.stdin.end(input);
  return ended(child);
}

function ended(child: ChildProcess): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  child.stdout!.on("data", (chunk) => (output.stdout += chunk));
  child.stderr!.on("data", (chunk) => (output.stderr += chunk));
  return new Promise((resolve) => child.on("close", (status, signal) => resolve({ status, signal, ...output })));
}

/**
 * Imports recorded blocks to the end. Some were recorded before their parents, and the deployed client refused them.
 * They are rejected again, and the command then fails.
 */
export async function importRecorded(...args: string[]): Promise<void> {
  const { status, stdout, stderr } = await runCli("import", ...args, "--json");
  assert.ok(stdout.startsWith("{"), stderr);
  const { rejected } = JSON.parse(stdout) as { rejected: { code: string }[] };
  for (const { code } of rejected) assert.equal(code, "MISSING_PARENT");
  assert.equal(status, rejected.length > 0 ? 1 : 0, stderr);
}

/** A running node: its address once it serves, and a way to stop it. */
export interface RunningNode {
  url: string;
  /** URL of WebSocket; undefined if the node serves none. */
  wsUrl: string | undefined;
  /** Output of the node until then. */
  greeting: string;
  process: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Flags with which a node on a development network imports and builds blocks in separate threads, as on public
 * networks: it could then have peers.
 */
export const THREADED: readonly string[] = ["--p2p.static", "--p2p.port", "0"];

/** Starts a node on a free port and waits until it serves. Requests have long time limits unless `args` set others. */
export function startNode(...args: string[]): Promise<RunningNode> {
  return startServer(NODE_CLI, "start", args);
}

/** Like {@link startNode}, with a program other than `bin/node-cli`. */
export function startProgram(program: string, ...args: string[]): Promise<RunningNode> {
  return startServer(program, "start", args);
}

/** Starts a replica as {@link startNode} starts a node. */
export function startReplica(...args: string[]): Promise<RunningNode> {
  return startServer(NODE_CLI, "replica", args);
}

/** Returns flags, completed with the values of missing ones. */
export function withDefaults(flags: readonly string[], defaults: Readonly<Record<string, string>>): string[] {
  return [...Object.entries(defaults).filter(([flag]) => !flags.includes(flag)), flags].flat();
}

async function startServer(program: string, command: string, args: readonly string[]): Promise<RunningNode> {
  const defaults = { "--http.port": "0", "--ws.port": "0", "--rpc.config": PATIENT_RPC };
  const child = spawnProgram(program, command, ...withDefaults(args, defaults));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const match = output.match(/http:\/\/[\d.]+:\d+/);
      if (match !== null) resolve(match[0]);
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    exited.then((status) => reject(new Error(`the node ended with ${status} before it served: ${output}`)));
  });
  return {
    url,
    wsUrl: output.match(/ and (ws:\/\/[\d.]+:\d+)/)?.[1],
    greeting: output,
    process: child,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs `use` with a new folder, which is then removed. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "cambium-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
