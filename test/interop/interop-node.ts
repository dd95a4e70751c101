import type { RpcClient } from "@cambium/test-utils/rpc-client";

/** A running node of either client. */
export interface InteropNode {
  name: string;
  rpc: RpcClient;
  /** Node id, 128 hex digits. */
  id: string;
  /** Address of the node for other nodes. */
  enode: string;
  p2pPort: number;
  /** Returns the end of the node's output. */
  recentOutput(): string;
  signal(signal: NodeJS.Signals): void;
  /** Ends the node, by default after it has closed its files. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Tip {
  number: number;
  hash: string;
}

/** The best block of a node. */
export async function tipOf({ rpc }: InteropNode): Promise<Tip> {
  const { number, hash } = await rpc.call("eth_getBlockByNumber", "latest", false);
  return { number: Number(number), hash };
}

export async function heightOf({ rpc }: InteropNode): Promise<number> {
  return Number(await rpc.call("eth_blockNumber"));
}

/** Mines blocks at a node of either client. */
export async function mine({ rpc }: InteropNode, blocks = 1): Promise<void> {
  for (let i = 0; i < blocks; i++) await rpc.call("evm_mine");
}

export async function peerCount({ rpc }: InteropNode): Promise<number> {
  return Number(await rpc.call("net_peerCount"));
}

/** The node ids of a deployed node's peers. */
export async function peerIds({ rpc }: InteropNode): Promise<string[]> {
  const peers: string[] = await rpc.call("net_peerList");
  return peers.map((peer) => peer.split(" ")[0]!);
}
