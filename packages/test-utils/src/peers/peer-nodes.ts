import { join } from "node:path";
import { type RunningNode, startNode, withDefaults } from "../node-cli.js";
import { RpcClient } from "../rpc-client.js";

/** A running node with peers. */
export interface PeerNode {
  node: RunningNode;
  rpc: RpcClient;
  /** Multiaddr of the node, which ends in its peer id. */
  address: string;
}

/** Starts a node on `local` that listens for peers on a free port and discovers no peers besides its boot nodes. */
export function startPeerNode(folder: string, bootNodes: readonly string[], ...flags: string[]): Promise<PeerNode> {
  return startDiscoveringNode(folder, bootNodes, "--p2p.static", ...flags);
}

/** Starts a node with peer discovery. */
export async function startDiscoveringNode(
  folder: string,
  bootNodes: readonly string[],
  ...flags: string[]
): Promise<PeerNode> {
  const boot = bootNodes.length > 0 ? ["--p2p.bootnodes", bootNodes.join(" ")] : [];
  const defaults = { "--network": "local", "--data-dir": folder, "--p2p.port": "0" };
  const node = await startNode("--p2p", ...boot, "--rpc.modules", "sco", ...withDefaults(flags, defaults));
  const address = node.greeting.match(/\/ip4\/127\.0\.0\.1\/tcp\/\d+\/p2p\/\w+/)?.[0];
  if (address === undefined) throw new Error(`no address of the node among: ${node.greeting}`);
  return { node, rpc: new RpcClient(node.url), address };
}

/** Height and hash of a node's best block. */
export async function bestOf({ rpc }: Pick<PeerNode, "rpc">): Promise<{ number: number; hash: string }> {
  const { number, hash } = await rpc.call("eth_getBlockByNumber", "latest", false);
  return { number: Number(number), hash };
}

/** Data folder of the node with an index. */
export function nodeFolder(folder: string, index: number): string {
  return join(folder, `node-${index}`);
}
