import { setImmediate as nextTurn } from "node:timers/promises";
import type { WeighedBlock } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { NetworkingError, type PeerId, type PeerNetwork } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { decodeServedBlock } from "./served-block.js";
import { BadAnswer, type SnapshotPeers } from "./snapshot-peers.js";

/** Number of blocks in one answer (`spec/07 §B.7`). */
const ANSWER_BLOCKS = 400;
/** Number of blocks between two turns of the event loop. */
const BLOCKS_PER_TURN = 8;

export interface BlockDownloadParts {
  peers: SnapshotPeers;
  network: PeerNetwork;
  config: NetworkConfig;
}

/**
 * Downloads blocks descending from a known hash, linked to each other and with the uncles of their headers. Returns as
 * many as one answer has, at least one and none below `lowest`. Rejects like {@link SnapshotPeers.ask}.
 */
export async function downloadBlocks(
  parts: BlockDownloadParts,
  from: Pick<WeighedBlock, "number" | "hash">,
  lowest: number,
  signal: AbortSignal,
): Promise<Block[]> {
  const { peers, network, config } = parts;
  const work = async (peer: PeerId, scope: AbortSignal): Promise<Block[]> => {
    // The lowest block that can be requested has height 1.
    const served = await network.snapshotBlocks(peer, from.number + 1, scope);
    const wanted = served.slice(-(from.number - lowest + 1));
    const blocks: Block[] = [];
    let expected = from.hash;
    for (const item of wanted.reverse()) {
      if (blocks.length % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) await nextTurn();
      const block = decodeServedBlock(item, config);
      const isExpected = equalBytes(block.hash, expected) && block.number === from.number - blocks.length;
      // A peer on another branch has another first block, which is no offence.
      if (!isExpected && blocks.length === 0)
        throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "snap-blocks" });
      if (!isExpected) throw new BadAnswer("INVALID_BLOCK", `it is not the parent of block ${block.number + 1}`);
      blocks.push(block);
      expected = block.header.parentHash;
    }
    if (blocks.length === 0) throw new BadAnswer("INVALID_MESSAGE", "no blocks");
    return blocks;
  };
  const { answer } = await peers.ask(
    { kind: "snap-blocks", what: `block ${from.number}`, cost: ANSWER_BLOCKS, work },
    signal,
  );
  return answer;
}
