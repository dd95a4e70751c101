import type { Connection, Stream } from "@libp2p/interface";
import { placeOf } from "../host/addresses.js";
import type { Peer, PeerAddress, PeerId, PeerStatus } from "../interface.js";
import { ByteBudget } from "../requests/byte-budget.js";

const NOWHERE: PeerAddress = { ip: "0.0.0.0", port: 0 };

/** A connection, and what became known over it. Outside of this package it is seen once Status was exchanged. */
export class Session implements Peer {
  readonly id: PeerId;
  readonly address: PeerAddress;
  readonly direction: Peer["direction"];
  /** Bounds what we send (`spec/07 §D.5`). */
  readonly outboundBytes: ByteBudget;
  /** True once Status agreed, false when the connection ended before. */
  readonly ready: Promise<boolean>;
  /** What we last told the peer, and when. */
  told: { bestNumber: number; at: number } | undefined;
  /** Requests of the peer that are being answered; how many there may be is bounded by the streams of each protocol. */
  readonly answering = new Map<string, Stream>();
  isClosing = false;
  private latest: PeerStatus | undefined;
  private settle!: (isReady: boolean) => void;

  constructor(
    readonly connection: Connection,
    readonly isTrusted: boolean,
    readonly openedAt: number,
  ) {
    this.id = connection.remotePeer.toString();
    this.address = placeOf(connection.remoteAddr) ?? NOWHERE;
    this.direction = connection.direction;
    this.outboundBytes = new ByteBudget(Date.now);
    this.ready = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  get isReady(): boolean {
    return this.latest !== undefined && !this.isClosing;
  }

  /** Whether either side still wants anything of the other. */
  get isOpen(): boolean {
    return this.connection.status === "open" && !this.isClosing;
  }

  get status(): PeerStatus {
    return this.latest!;
  }

  accept(status: PeerStatus): void {
    this.latest = status;
    this.settle(true);
  }

  end(): void {
    this.isClosing = true;
    this.settle(false);
  }
}
