import { ChainError } from "@cambium/chain-store";
import type { ForkConfig, NetworkConfig } from "@cambium/config";
import { equalBytes, shownUrl } from "@cambium/primitives";
import { forkOrigin, TrieState } from "@cambium/state";
import { type NodeSink, Trie } from "@cambium/trie";
import { Block, BlockHeader } from "@cambium/types";

/**
 * Returns the first block of a fork, without its body, and the local state after it, whose nodes are written to `sink`.
 * Throws {@link ChainError} `FORK_SOURCE` if the header does not have the configured hash and number.
 */
export function buildForkGenesis(network: NetworkConfig, fork: ForkConfig, sink: NodeSink) {
  const header = BlockHeader.decode(fork.header, network);
  if (!equalBytes(header.hash, fork.hash) || header.number !== fork.number) {
    const reason = `the header is that of block ${header.number}, not of ${fork.number}, or has another hash`;
    throw new ChainError({ code: "FORK_SOURCE", source: shownUrl(fork.source), what: "configuration", reason });
  }
  const state = new TrieState(new Trie()).after(forkOrigin(fork));
  state.save(sink);
  return { block: new Block(header, [], []), stateRoot: state.root };
}
