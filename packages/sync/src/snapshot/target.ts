import type { NetworkConfig } from "@cambium/config";
import type { PeerId, PeerNetwork } from "@cambium/networking";
import { CambiumError, toHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import type { Checkpoint } from "../interface.js";
import { downloadBlocks } from "./block-download.js";
import { decodeServedBlock } from "./served-block.js";
import { BadAnswer, type SnapshotPeers } from "./snapshot-peers.js";

/** Peers that are asked for their checkpoint. */
const ASKED = 8;

/** The block whose state is to be fetched, as peers claim it; proved later. */
export interface SnapshotTarget {
  block: Block;
  totalDifficulty: bigint;
}

export interface TargetModules {
  peers: SnapshotPeers;
  network: PeerNetwork;
  config: NetworkConfig;
}

/**
 * The checkpoint that most peers name, the one with more work among equals; or the trusted block, where no peer has a
 * newer one. Undefined when nobody has any. The total difficulty includes that of uncles, which headers do not have, so
 * it stays a claim until all blocks down to genesis are there; taking what most say is what can be done before.
 */
export async function chooseTarget(
  modules: TargetModules,
  trusted: Checkpoint | undefined,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const claims = await collectClaims(modules, signal);
  const chosen = mostNamed(claims);
  if (trusted === undefined || (chosen !== undefined && chosen.block.number > trusted.number)) return chosen;
  return trustedTarget(modules, trusted, signal);
}

async function collectClaims(modules: TargetModules, signal: AbortSignal): Promise<SnapshotTarget[]> {
  const asked = modules.peers.usable().slice(0, ASKED);
  const answers = await Promise.all(asked.map(({ id }) => claimOf(modules, id, signal)));
  return answers.filter((claim) => claim !== undefined);
}

async function claimOf(
  { peers, network, config }: TargetModules,
  id: PeerId,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const work = async (peer: PeerId, scope: AbortSignal): Promise<SnapshotTarget> => {
    const { blocks } = await network.snapshotStatus(peer, scope);
    const checkpoint = blocks.at(-1);
    if (checkpoint === undefined) throw new BadAnswer("INVALID_MESSAGE", "snapshot without blocks");
    return { block: decodeServedBlock(checkpoint, config), totalDifficulty: checkpoint.totalDifficulty };
  };
  try {
    return await peers.askOne(id, { kind: "snap-status", cost: 1, work }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BadAnswer) peers.exclude(id, error);
    else if (!(error instanceof CambiumError)) throw error;
    return undefined;
  }
}

function mostNamed(claims: readonly SnapshotTarget[]): SnapshotTarget | undefined {
  const named = new Map<string, { claim: SnapshotTarget; count: number }>();
  for (const claim of claims) {
    const key = `${toHex(claim.block.hash)} ${claim.totalDifficulty}`;
    const entry = named.get(key);
    if (entry === undefined) named.set(key, { claim, count: 1 });
    else entry.count++;
  }
  const [best] = [...named.values()].sort(
    (a, b) => b.count - a.count || (b.claim.totalDifficulty > a.claim.totalDifficulty ? 1 : -1),
  );
  return best?.claim;
}

async function trustedTarget(
  modules: TargetModules,
  trusted: Checkpoint,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const [block] = await downloadBlocks(modules, trusted, trusted.number, signal);
  const claims = await Promise.all(
    modules.peers
      .usable()
      .slice(0, ASKED)
      .map(({ id }) => weightOf(modules, id, block!, signal)),
  );
  return mostNamed(claims.filter((claim) => claim !== undefined));
}

/** What a peer says of the total difficulty up to a block. */
async function weightOf(
  { peers, network }: TargetModules,
  id: PeerId,
  block: Block,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const work = async (peer: PeerId, scope: AbortSignal) =>
    (await network.snapshotBlocks(peer, block.number + 1, scope)).at(-1)?.totalDifficulty;
  try {
    const totalDifficulty = await peers.askOne(id, { kind: "snap-blocks", cost: 400, work }, signal);
    return totalDifficulty === undefined ? undefined : { block, totalDifficulty };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CambiumError)) throw error;
    return undefined;
  }
}
