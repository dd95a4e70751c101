import type { BlockId, Peer, PeerId, PeerNetwork } from "@cambium/networking";
import type { Clock, Logger } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { Checkpoint, SyncChain } from "../interface.js";
import { bounded } from "../shared/bounded.js";
import type { HeaderVerifier } from "../shared/header-verifier.js";
import type { Wakeup } from "../shared/wakeup.js";
import type { Attempt } from "./attempt.js";
import { type BlockFlowParts, importVerified } from "./block-flow.js";
import type { WindowLimits } from "./body-download.js";
import { findConnectionPoint } from "./connection-point.js";
import { HeaderDownload, type VerifiedHeaders } from "./header-download.js";
import type { PeerChoice } from "./peer-choice.js";
import type { PeerCoordinator } from "./peer-coordinator.js";
import { fetchAncestors, SHORT_GAP } from "./short-path.js";

/** Time limit of the search for the common block, in milliseconds. */
const CONNECTION_LIMIT = 120_000;

export interface SyncPathsParts {
  chain: SyncChain;
  network: PeerNetwork;
  logger: Logger;
  clock: Clock;
  coordinator: PeerCoordinator;
  choice: PeerChoice;
  verifier: HeaderVerifier;
  changed: Wakeup;
  checkpoint: Checkpoint | undefined;
  window: WindowLimits;
  /** Returns the peer with the best claim, if that is above our best block. */
  preferred: () => Peer | undefined;
  /** Called after the attempt has recorded newly verified headers. */
  onVerified: (attempt: Attempt) => void;
  onImported: (header: BlockHeader) => void;
}

/** The two ways to a peer's best block: fetching a few ancestors, or downloading headers along skeletons. */
export class SyncPaths {
  constructor(private readonly parts: SyncPathsParts) {}

  /** Follows the target. Resolves with whether its own chain was followed to the end. */
  async follow(attempt: Attempt, signal: AbortSignal): Promise<boolean> {
    const { target, claim } = attempt;
    if (claim.bestNumber - this.bestNumber <= SHORT_GAP && this.isPastCheckpoint()) {
      attempt.phase = "headers";
      try {
        await this.short(target.id, { hash: claim.bestHash, number: claim.bestNumber }, signal, attempt);
        return true;
      } catch (error) {
        if (!(error instanceof SyncError && error.code === "TOO_DEEP")) throw error;
      }
    }
    return this.long(attempt, signal);
  }

  /**
   * Fetches a block and its missing ancestors from one peer. Rejects with {@link SyncError} `TOO_DEEP` if there are
   * many.
   */
  async short(peer: PeerId, block: BlockId, signal: AbortSignal, attempt?: Attempt): Promise<void> {
    const verified = await fetchAncestors(peer, block, this.parts, signal);
    if (verified === undefined) return;
    await importVerified(() => only(verified), this.flow(attempt), signal);
  }

  /**
   * Whether the chain is past the checkpoint. Below the checkpoint only the long path shows whether a chain contains
   * it. A chain that begins with a snapshot above the checkpoint is past it.
   */
  isPastCheckpoint(): boolean {
    const { chain, checkpoint } = this.parts;
    if (checkpoint === undefined || chain.isOnBestChain(checkpoint.hash)) return true;
    return checkpoint.number > 0 && checkpoint.number < chain.earliestBlock();
  }

  private get bestNumber(): number {
    return this.parts.chain.best().header.number;
  }

  private async long(attempt: Attempt, signal: AbortSignal): Promise<boolean> {
    const { target, claim } = attempt;
    attempt.isLong = true;
    attempt.phase = "connection-point";
    const point = await this.connectionPoint(target, signal);
    const data = { peer: target.id, from: point.number, to: claim.bestNumber };
    this.parts.logger.info(data, "Synchronising");
    attempt.phase = "headers";
    const download = new HeaderDownload(this.parts, target, point);
    attempt.leaders = () => download.leaders;
    let isComplete = true;
    const supply = (inner: AbortSignal) =>
      this.rounds(download, attempt, inner, () => {
        isComplete = false;
      });
    await importVerified(supply, this.flow(attempt), signal);
    return isComplete;
  }

  private async connectionPoint(target: Peer, signal: AbortSignal): Promise<BlockHeader> {
    const { clock, coordinator } = this.parts;
    const limits = { clock, signal, what: "connection point" };
    try {
      return await bounded((inner) => findConnectionPoint(target, this.parts, inner), CONNECTION_LIMIT, limits);
    } catch (error) {
      if (error instanceof SyncError && error.code === "OTHER_GENESIS") {
        coordinator.exclude(target.id, "UNEXPECTED_GENESIS", "it has another genesis block");
      }
      if (error instanceof SyncError && error.code === "CHECKPOINT") {
        coordinator.exclude(target.id, "INVALID_HEADER", "its chain does not contain the checkpoint");
      }
      throw error;
    }
  }

  /** Downloads skeleton after skeleton until the target's claim is reached, or another chain is preferred. */
  private async *rounds(
    download: HeaderDownload,
    attempt: Attempt,
    signal: AbortSignal,
    onLeft: () => void,
  ): AsyncGenerator<VerifiedHeaders> {
    const { choice, preferred } = this.parts;
    for (let isFirst = true; download.reached.number < attempt.latestClaim.bestNumber; isFirst = false) {
      let sources: readonly PeerId[] = [];
      try {
        for await (const part of download.round(signal)) {
          sources = part.sources;
          yield part;
        }
      } catch (error) {
        // Verified headers are imported even if no peer leads further.
        if (isFirst || !(error instanceof SyncError && error.code === "SKELETON")) throw error;
        return onLeft();
      }
      if (sources.length === 0) return;
      if (!sources.includes(attempt.target.id)) onLeft();
      const best = preferred();
      const isOfThisChain = best === undefined || sources.includes(best.id);
      if (!isOfThisChain && choice.isBetter(best, attempt.target)) return onLeft();
    }
  }

  private flow(attempt: Attempt | undefined): BlockFlowParts {
    const { chain, network, coordinator, clock, changed, window, onVerified, onImported } = this.parts;
    return {
      chain,
      network,
      chainNetwork: chain.network,
      coordinator,
      clock,
      changed,
      window,
      onVerified: ({ headers }) => {
        if (attempt === undefined) return;
        attempt.onVerified(headers.at(-1)!.number);
        onVerified(attempt);
      },
      onDelivery: (from) => attempt?.onDelivery(from),
      onImported: (header) => {
        onImported(header);
        attempt?.onImported();
      },
    };
  }
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}
