import { startNode, withDefaults } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { collectWarnings } from "./cambium-log.js";
import type { InteropNode } from "./interop-node.js";
import { recentOutput } from "./recent-output.js";

/** A running node of this project. */
export interface CambiumNode extends InteropNode {
  /** Multiaddr for nodes of this project, if the node also speaks their wire; otherwise empty. */
  address: string;
  pid: number;
  /** Lines of warnings and errors that the node has logged. */
  warnings: readonly string[];
}

/**
 * Starts a node of this project that speaks only the deployed network's wire, unless the flags set another one; `flags`
 * are those of `node-cli start`.
 */
export async function startCambiumNode(name: string, folder: string, ...flags: string[]): Promise<CambiumNode> {
  const wire = withDefaults(flags, { "--p2p.wires": "rlpx", "--p2p.rlpx-port": "0" });
  const node = await startNode("--network", "local", "--data-dir", folder, "--p2p", "--rpc.modules", "sco", ...wire);
  const output = recentOutput(node.process);
  const warnings = collectWarnings(node.process);
  const enode = node.greeting.match(/enode:\/\/([0-9a-f]{128})@127\.0\.0\.1:(\d+)/);
  if (enode === null) throw new Error(`no address of the node among: ${node.greeting}`);
  return {
    name,
    rpc: new RpcClient(node.url),
    id: enode[1]!,
    enode: enode[0],
    p2pPort: Number(enode[2]),
    address: node.greeting.match(/\/ip4\/127\.0\.0\.1\/tcp\/\d+\/p2p\/\w+/)?.[0] ?? "",
    pid: node.process.pid!,
    warnings,
    recentOutput: output,
    signal: (signal) => void node.process.kill(signal),
    stop: async (signal) => void (await node.stop(signal)),
  };
}
