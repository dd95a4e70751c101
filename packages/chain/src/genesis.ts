import type { Genesis } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { buildForkGenesis } from "@cambium/fork";
import { buildGenesisState } from "@cambium/state";
import type { NodeSink } from "@cambium/trie";
import { genesisBlock } from "@cambium/types";

/**
 * Builds block 0 of a network, or the block where a fork begins, and writes the nodes of its state to `sink`
 * (`spec/01 §6`, `spec/02 §1.4`).
 */
export function buildGenesis(network: NetworkConfig, sink: NodeSink): Genesis {
  if (network.fork !== undefined) return buildForkGenesis(network, network.fork, sink);
  const { root, nodes } = buildGenesisState(network);
  for (const { hash, bytes } of nodes) sink.put(hash, bytes);
  return { block: genesisBlock(network, root), stateRoot: root };
}
