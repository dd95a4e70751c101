import type { SnapshotInstaller } from "@cambium/chain";
import type { PeerId, PeerNetwork, SnapshotChunk } from "@cambium/networking";
import { TrieError, type VerifiedStateChunk, verifyStateChunk } from "@cambium/trie";
import { SyncError } from "../errors.js";
import { BadAnswer, type SnapshotPeers } from "./snapshot-peers.js";

export interface StateDownloadParts {
  peers: SnapshotPeers;
  network: PeerNetwork;
  installer: SnapshotInstaller;
  chunkBytes: number;
  parallelChunks: number;
}

interface Received {
  chunk: VerifiedStateChunk;
  to: number;
  peer: PeerId;
}

/**
 * Downloads the state, several chunks at a time from all peers. Verifies each on arrival and stores them in order. At
 * most `parallelChunks` are held in memory. Rejects like {@link SnapshotPeers.ask}.
 */
export class StateDownload {
  /** Requested chunks by offset. */
  private readonly pending = new Map<number, Promise<Received>>();

  constructor(private readonly parts: StateDownloadParts) {}

  /** `onStored` is called after every chunk. */
  async run(onStored: () => void, signal: AbortSignal): Promise<void> {
    const scope = new AbortController();
    try {
      await this.storeAll(onStored, AbortSignal.any([signal, scope.signal]));
    } finally {
      scope.abort(new SyncError({ code: "STOPPED" }));
      this.pending.clear();
    }
  }

  private async storeAll(onStored: () => void, signal: AbortSignal): Promise<void> {
    const { installer, peers } = this.parts;
    for (let next = installer.progress!.nextChunk; next !== undefined; next = installer.progress!.nextChunk) {
      this.request(next, signal);
      const { chunk, to, peer } = await this.pending.get(next)!;
      this.pending.delete(next);
      const placement = await installer.saveChunk(chunk, to);
      if (placement === "stored") onStored();
      else peers.exclude(peer, { event: "INVALID_MESSAGE", message: "state chunk of another part of the state" });
    }
  }

  /** Requests the chunk and some of the following ones. */
  private request(next: number, signal: AbortSignal): void {
    const { installer, chunkBytes, parallelChunks } = this.parts;
    const { stateSize } = installer.progress!;
    for (let ahead = 0; ahead < parallelChunks; ahead++) {
      const from = next + ahead * chunkBytes;
      if ((ahead > 0 && from > stateSize) || this.pending.has(from)) continue;
      const pending = this.fetch(from, signal);
      // The rejection is handled when the chunk is awaited.
      pending.catch(() => undefined);
      this.pending.set(from, pending);
    }
  }

  private async fetch(from: number, signal: AbortSignal): Promise<Received> {
    const { peers, network, installer, chunkBytes } = this.parts;
    const { number } = installer.progress!.checkpoint;
    const { stateRoot } = installer;
    const work = async (peer: PeerId, scope: AbortSignal): Promise<VerifiedStateChunk> => {
      const chunk = await network.snapshotChunk(peer, number, from, scope);
      if (chunk.from !== from || chunk.to !== from + chunkBytes)
        throw new BadAnswer("INVALID_MESSAGE", "wrong bounds of a state chunk");
      return verified(chunk, stateRoot);
    };
    const { answer, peer } = await peers.ask(
      { kind: "snap-chunk", what: `the state after block ${number}`, cost: 1, work },
      signal,
    );
    return { chunk: answer, to: from + chunkBytes, peer };
  }
}

function verified(chunk: SnapshotChunk, stateRoot: Uint8Array): VerifiedStateChunk {
  try {
    return verifyStateChunk(chunk, stateRoot);
  } catch (error) {
    if (error instanceof TrieError) throw new BadAnswer("INVALID_MESSAGE", `state chunk: ${error.message}`);
    throw error;
  }
}
