import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { secp256k1, toHex } from "@cambium/primitives";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { freePorts } from "./free-ports.js";
import type { InteropNode } from "./interop-node.js";
import { recentOutput } from "./recent-output.js";
import { waitFor } from "./wait-for.js";

/**
 * Command that runs a node of the deployed client on its local network, in the foreground and on the loopback interface
 * only. Its arguments are a data folder, the port of JSON-RPC over HTTP (the next port may be used too), the
 * peer-to-peer port, and settings `-Dkey=value`. `HEAP` in its environment is the memory that it may use, such as
 * `400m`.
 */
export const REFERENCE_COMMAND = process.env.CAMBIUM_REFERENCE;

export interface ReferenceOptions {
  folder: string;
  /** Key of the node, 32 bytes; by default a new one. */
  key?: Uint8Array;
  /** Peer-to-peer port; by default a free one. */
  p2pPort?: number;
  settings?: Readonly<Record<string, string | number | boolean>>;
  /** Memory limit of the process, in the form of `-Xmx`. */
  memory?: string;
}

/** A running node of the deployed client. */
export interface ReferenceNode extends InteropNode {
  /** Options for another start of the same node. */
  options: Required<ReferenceOptions>;
}

const SECONDS_TO_START = 300;
const SECONDS_TO_STOP = 30;
/** Ids of running process groups. */
const running = new Set<number>();

process.once("exit", () => running.forEach(killGroup));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Settings with which a node dials another. */
export function dialling(...nodes: readonly Pick<InteropNode, "enode">[]): Record<string, string> {
  return Object.fromEntries(nodes.map(({ enode }, i) => [`peer.active.${i}.url`, enode]));
}

/** Starts a node and waits until it answers. */
export async function startReferenceNode(name: string, options: ReferenceOptions): Promise<ReferenceNode> {
  if (REFERENCE_COMMAND === undefined) throw new Error("CAMBIUM_REFERENCE is not set");
  const { folder, key = randomBytes(32), settings = {}, memory = "1000m" } = options;
  const { p2pPort = await freePorts() } = options;
  const id = toHex(secp256k1.publicKey(key));
  const rpcPort = await freePorts(2);
  const own = { "peer.privateKey": toHex(key), "rpc.modules.sco.enabled": true, ...settings };
  const flags = Object.entries(own).map(([setting, value]) => `-D${setting}=${value}`);
  mkdirSync(folder, { recursive: true });
  const child = spawn(REFERENCE_COMMAND, [folder, String(rpcPort), String(p2pPort), ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, HEAP: memory },
  });
  const output = recentOutput(child);
  const ended = once(child, "close");
  const group = child.pid!;
  running.add(group);
  void ended.then(() => running.delete(group));
  const rpc = new RpcClient(`http://127.0.0.1:${rpcPort}`, false);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (!running.has(group)) return;
    process.kill(-group, signal);
    const timer = setTimeout(() => killGroup(group), SECONDS_TO_STOP * 1000);
    await ended;
    clearTimeout(timer);
  };
  try {
    await waitFor(`${name} answers`, () => answers(rpc, running.has(group)), Boolean, SECONDS_TO_START);
  } catch (error) {
    await stop("SIGKILL");
    throw new Error(`${name} did not start: ${output()}`, { cause: error });
  }
  return {
    name,
    rpc,
    id,
    enode: `enode://${id}@127.0.0.1:${p2pPort}`,
    p2pPort,
    recentOutput: output,
    signal: (signal) => void process.kill(-group, signal),
    stop,
    options: { folder, key, p2pPort, settings, memory },
  };
}

/** Throws if the process has ended. */
async function answers(rpc: RpcClient, isRunning: boolean): Promise<boolean> {
  if (!isRunning) throw new Error("the process has ended");
  try {
    await rpc.call("eth_blockNumber");
    return true;
  } catch {
    return false;
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
