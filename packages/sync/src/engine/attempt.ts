import type { Peer, PeerId, PeerNetwork, PeerStatus } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";

/** Progress of one attempt to reach the best block that a peer claims. */
export class Attempt {
  /** The claim at the start. */
  readonly claim: PeerStatus;
  phase: "connection-point" | "headers" | "bodies" = "connection-point";
  isLong = false;
  /** Highest verified header. */
  verified = 0;
  hasProgress = false;
  /** Returns the peers whose skeletons are followed. */
  leaders: () => readonly PeerId[] = () => [];
  /** Time at which the first header was verified, or the last block imported. */
  private movedAt: number;
  private readonly deliveries = new Map<PeerId, number>();

  constructor(
    readonly target: Peer,
    private readonly network: PeerNetwork,
    private readonly clock: Clock,
  ) {
    this.claim = { ...target.status };
    this.movedAt = clock.now();
  }

  get latestClaim(): PeerStatus {
    return this.network.peer(this.target.id)?.status ?? this.claim;
  }

  /** The peer that has delivered most blocks. */
  get mainSource(): PeerId | undefined {
    let most: [PeerId | undefined, number] = [undefined, 0];
    for (const entry of this.deliveries) if (entry[1] > most[1]) most = entry;
    return most[0];
  }

  /** Number of milliseconds without progress. */
  get standstill(): number {
    return this.clock.now() - this.movedAt;
  }

  onVerified(number: number): void {
    if (this.verified === 0) this.movedAt = this.clock.now();
    this.verified = Math.max(this.verified, number);
    this.phase = "bodies";
  }

  onDelivery(from: PeerId): void {
    this.deliveries.set(from, (this.deliveries.get(from) ?? 0) + 1);
  }

  onImported(): void {
    this.hasProgress = true;
    this.movedAt = this.clock.now();
  }
}
