import { startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import type { InteropNode } from "./interop-node.js";
import { recentOutput } from "./recent-output.js";

/** Starts a node of this project that speaks only the deployed network's wire; `flags` are those of `node-cli start`. */
export async function startCambiumNode(name: string, folder: string, ...flags: string[]): Promise<InteropNode> {
  const wire = ["--p2p", "--p2p.wires", "rlpx", "--p2p.rlpx-port", "0", "--rpc.modules", "sco"];
  const node = await startNode("--network", "local", "--data-dir", folder, ...wire, ...flags);
  const output = recentOutput(node.process);
  const enode = node.greeting.match(/enode:\/\/[0-9a-f]{128}@127\.0\.0\.1:(\d+)/);
  if (enode === null) throw new Error(`no address of the node among: ${node.greeting}`);
  return {
    name,
    rpc: new RpcClient(node.url),
    enode: enode[0],
    p2pPort: Number(enode[1]),
    recentOutput: output,
    signal: (signal) => void node.process.kill(signal),
    stop: async (signal) => void (await node.stop(signal)),
  };
}
