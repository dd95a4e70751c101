import { steadyTime } from "@cambium/primitives";
import type { Connection, Stream } from "@libp2p/interface";
import type { Peer, PeerAddress, PeerCapabilities, PeerId, RequestRates } from "../../interface.js";
import { placeOf } from "../addresses.js";
import { SERVES_SNAPSHOTS, type Status } from "../wire/status.js";
import { ByteBudget } from "./byte-budget.js";

const UNKNOWN_ADDRESS: PeerAddress = { ip: "0.0.0.0", port: 0 };

/** A connection and its peer. Other packages see it after the exchange of Status. */
export class Session implements Peer {
  readonly id: PeerId;
  readonly address: PeerAddress;
  readonly direction: Peer["direction"];
  readonly wire = "libp2p";
  /** Limits the bytes that we send (`spec/07 §D.5`). */
  readonly outboundBytes: ByteBudget;
  /** Resolves with true once Status was exchanged, and with false if the connection ends before. */
  readonly ready: Promise<boolean>;
  /** Best height that we last sent, and the time. */
  sentStatus: { bestNumber: number; at: number } | undefined;
  /** Streams of the requests being answered, by request; the stream limits of the protocols bound their number. */
  readonly answering = new Map<string, Stream>();
  isClosing = false;
  private latest: Status | undefined;
  private settle!: (isReady: boolean) => void;

  constructor(
    readonly connection: Connection,
    readonly isTrusted: boolean,
    readonly openedAt: number,
    private readonly rates: RequestRates,
  ) {
    this.id = connection.remotePeer.toString();
    this.address = placeOf(connection.remoteAddr) ?? UNKNOWN_ADDRESS;
    this.direction = connection.direction;
    this.outboundBytes = new ByteBudget(steadyTime);
    this.ready = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  get isReady(): boolean {
    return this.latest !== undefined && !this.isClosing;
  }

  /** Whether the connection is open and neither side is closing it. */
  get isOpen(): boolean {
    return this.connection.status === "open" && !this.isClosing;
  }

  get status(): Status {
    return this.latest!;
  }

  get capabilities(): PeerCapabilities {
    return { servesSnapshots: (this.status.flags & SERVES_SNAPSHOTS) !== 0, rates: this.rates };
  }

  accept(status: Status): void {
    this.latest = status;
    this.settle(true);
  }

  end(): void {
    this.isClosing = true;
    this.settle(false);
  }
}
