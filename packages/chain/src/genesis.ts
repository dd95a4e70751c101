import type { NetworkConfig } from "@cambium/config";
import { buildGenesisState } from "@cambium/state";
import type { NodeSink } from "@cambium/trie";
import { type Block, genesisBlock } from "@cambium/types";

/** Block 0 and what must be stored with it. */
export interface Genesis {
  block: Block;
  /** Root of the genesis state, which is not the header's where that is a literal in the old format (main). */
  stateRoot: Uint8Array;
}

/** Builds block 0 of a network and puts the nodes of its state into `sink` (`spec/01 §6`, `spec/02 §1.4`). */
export function buildGenesis(network: NetworkConfig, sink: NodeSink): Genesis {
  const { root, nodes } = buildGenesisState(network);
  for (const { hash, bytes } of nodes) sink.put(hash, bytes);
  return { block: genesisBlock(network, root), stateRoot: root };
}
