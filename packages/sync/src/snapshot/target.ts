import type { NetworkConfig } from "@cambium/config";
import type { Peer, PeerId, PeerNetwork } from "@cambium/networking";
import { CambiumError, equalBytes, toHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { Checkpoint } from "../interface.js";
import { downloadBlocks } from "./block-download.js";
import { decodeServedBlock } from "./served-block.js";
import { BadAnswer, type SnapshotPeers, type SnapshotRequest } from "./snapshot-peers.js";

/** Maximum number of peers whose checkpoints are compared. */
const MAX_SOURCES = 8;

/** The block whose state should be downloaded, as peers claim it; verified later. */
export interface SnapshotTarget {
  block: Block;
  totalDifficulty: bigint;
}

type Claim = SnapshotTarget & { peer: Peer };

export interface TargetParts {
  peers: SnapshotPeers;
  network: PeerNetwork;
  config: NetworkConfig;
}

/**
 * Chooses the checkpoint that most outbound peers name, then the one that most inbound peers name: an attacker may have
 * any number of inbound peers. Among equals, the one with more work wins; if no peer has a newer one, the trusted
 * block. The total difficulty includes that of uncles, which headers lack. It therefore stays a claim until all blocks
 * down to genesis are stored; until then the majority decides. Rejects with {@link SyncError} `SNAPSHOT_UNAVAILABLE` if
 * there is none now.
 */
export async function chooseTarget(
  parts: TargetParts,
  trusted: Checkpoint | undefined,
  signal: AbortSignal,
): Promise<SnapshotTarget> {
  const sources = await chooseSources(parts, trusted, signal);
  const claims = await claimsOf(sources, (id) => checkpointOf(parts, id, signal));
  const chosen = mostNamed(claims);
  if (chosen !== undefined && (trusted === undefined || chosen.block.number > trusted.number)) return chosen;
  if (trusted === undefined)
    throw unavailable(`none of ${sources.length} peers has a snapshot; their chains may be too short`);
  const [block] = await downloadBlocks(parts, trusted, trusted.number, signal);
  const weighed = mostNamed(await claimsOf(sources, (id) => weightOf(parts, id, block!, signal)));
  if (weighed === undefined) throw unavailable("no peer sent the total difficulty of the checkpoint");
  return weighed;
}

/** Returns peers with the trusted block that serve snapshots and claim most work. */
async function chooseSources(
  parts: TargetParts,
  trusted: Checkpoint | undefined,
  signal: AbortSignal,
): Promise<Peer[]> {
  const usable = parts.peers.usable();
  if (usable.length === 0) {
    const { length } = parts.network.peers();
    throw unavailable(length === 0 ? "no peers" : `none of ${length} peers serves snapshots`);
  }
  usable.sort((a, b) => byDirection(a, b) || (b.status.totalDifficulty > a.status.totalDifficulty ? 1 : -1));
  const sources = trusted === undefined ? usable : await holdersOf(parts, trusted, usable, signal);
  return sources.slice(0, MAX_SOURCES);
}

/**
 * Returns peers that have the trusted block at its height. Peers with another block may be honest and the operator
 * wrong: the difference is logged, and the peers are not scored.
 */
async function holdersOf(
  parts: TargetParts,
  { number, hash }: Checkpoint,
  asked: readonly Peer[],
  signal: AbortSignal,
): Promise<Peer[]> {
  const { network } = parts;
  const work = async (peer: PeerId, scope: AbortSignal) => (await network.hashes(peer, [number], scope))[0];
  const request = { kind: "hashes", what: `hash ${number}`, cost: 1, work } as const;
  const named = await Promise.all(asked.map(({ id }) => claim(parts.peers, id, request, signal)));
  const holders = asked.filter((_, index) => named[index] !== undefined && equalBytes(named[index], hash));
  if (holders.length > 0) return holders;
  const others = named.filter((name) => name !== undefined).map((name) => `0x${toHex(name)}`);
  throw unavailable(
    others.length === 0
      ? `none of ${asked.length} peers has the checkpoint, block ${number}`
      : `${others.length} of ${asked.length} peers have another block ${number} than the checkpoint, ${others[0]}`,
  );
}

/** Compares peers: outbound ones come first. */
function byDirection(a: Peer, b: Peer): number {
  return Number(b.direction === "outbound") - Number(a.direction === "outbound");
}

async function claimsOf(
  sources: readonly Peer[],
  ask: (id: PeerId) => Promise<SnapshotTarget | undefined>,
): Promise<Claim[]> {
  const answers = await Promise.all(sources.map(({ id }) => ask(id)));
  return answers.flatMap((answer, i) => (answer === undefined ? [] : [{ ...answer, peer: sources[i]! }]));
}

/** Returns the newest snapshot that a peer offers. */
function checkpointOf(
  { peers, network, config }: TargetParts,
  id: PeerId,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const work = async (peer: PeerId, scope: AbortSignal): Promise<SnapshotTarget> => {
    const { blocks } = await network.snapshotStatus(peer, scope);
    const checkpoint = blocks.at(-1);
    if (checkpoint === undefined) throw new BadAnswer("INVALID_MESSAGE", "snapshot without blocks");
    return weighed(decodeServedBlock(checkpoint, config), checkpoint.totalDifficulty);
  };
  return claim(peers, id, { kind: "snap-status", what: "a snapshot", cost: 1, work }, signal);
}

/** Returns the total difficulty that a peer claims for a block. */
function weightOf(
  { peers, network }: TargetParts,
  id: PeerId,
  block: Block,
  signal: AbortSignal,
): Promise<SnapshotTarget | undefined> {
  const work = async (peer: PeerId, scope: AbortSignal) => {
    const below = await network.snapshotBlocks(peer, block.number + 1, scope);
    return below.length === 0 ? undefined : weighed(block, below.at(-1)!.totalDifficulty);
  };
  return claim(peers, id, { kind: "snap-blocks", what: `block ${block.number}`, cost: 400, work }, signal);
}

function weighed(block: Block, totalDifficulty: bigint): SnapshotTarget {
  if (totalDifficulty > block.cumulativeDifficulty) return { block, totalDifficulty };
  throw new BadAnswer("INVALID_MESSAGE", `impossible total difficulty of block ${block.number}`);
}

/** Returns the answer of one peer; undefined if it sends none, or a wrong one. */
async function claim<T>(
  peers: SnapshotPeers,
  id: PeerId,
  request: SnapshotRequest<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await peers.askOne(id, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BadAnswer) peers.exclude(id, error);
    else if (!(error instanceof CambiumError)) throw error;
    return undefined;
  }
}

function mostNamed(claims: readonly Claim[]): SnapshotTarget | undefined {
  const named = new Map<string, { claim: Claim; outbound: number; count: number }>();
  for (const claim of claims) {
    const key = `${toHex(claim.block.hash)} ${claim.totalDifficulty}`;
    const entry = named.get(key) ?? { claim, outbound: 0, count: 0 };
    entry.count++;
    if (claim.peer.direction === "outbound") entry.outbound++;
    named.set(key, entry);
  }
  const [best] = [...named.values()].sort(
    (a, b) =>
      b.outbound - a.outbound || b.count - a.count || (b.claim.totalDifficulty > a.claim.totalDifficulty ? 1 : -1),
  );
  return best?.claim;
}

function unavailable(reason: string): SyncError {
  return new SyncError({ code: "SNAPSHOT_UNAVAILABLE", reason });
}
