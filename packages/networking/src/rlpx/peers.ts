import { type Clock, equalBytes, type Logger, toHex } from "@cambium/primitives";
import {
  type CloseReason,
  commonVersion,
  DISCONNECT_REASONS,
  FIRST_VERSION,
  type IncomingNotification,
  type IncomingRequest,
  type NetworkStatus,
  type RlpxConnection,
  type RlpxError,
  type RskRequest,
  RskSession,
} from "@cambium/rlpx";
import { NetworkingError } from "../errors.js";
import type { NetworkEvent, PeerId } from "../interface.js";
import type { DialSchedule } from "../peers/dial-schedule.js";
import { CONNECTION_LOST, type Goodbye, goodbyeText, REDIAL_DELAYS } from "../peers/goodbye-reasons.js";
import { PeerReports } from "../peers/peer-reports.js";
import type { ScoringEvent } from "../scoring/events.js";
import type { PeerScoring, ScoredSubject } from "../scoring/interface.js";
import type { ServedSources } from "../serving/served-sources.js";
import { peerIdOf } from "../shared/peer-id.js";
import { answerTo } from "./answers.js";
import type { RlpxGate } from "./gate.js";
import type { RlpxGossip } from "./gossip.js";
import { ownNetworkStatus } from "./own-status.js";
import { RlpxPeer } from "./peer.js";
import type { RlpxPeerTable } from "./peer-table.js";
import { StatusExchange } from "./status-exchange.js";

export interface RlpxPeersParts {
  peers: RlpxPeerTable;
  gate: RlpxGate;
  gossip: RlpxGossip;
  sources: ServedSources;
  scoring: PeerScoring;
  dialSchedule: DialSchedule;
  trusted: ReadonlySet<PeerId>;
  announce(event: NetworkEvent): void;
  /** Called when a connection has ended. */
  ended(peer: RlpxPeer): void;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds after which a node without Status counts as connected, claiming nothing (`spec/07 §A.3.1`). */
const STATUS_LIMIT = 5_000;
/**
 * Milliseconds after which a connection counts as successful. A node that punishes us closes each connection at its
 * first message (`spec/07 §B.10`, Q13), and should not be dialled again immediately.
 */
const STABLE_AFTER = 30_000;
/** Maximum number of waiting requests for snapshots from one peer (`spec/07 §B.7`). */
const MAX_SNAPSHOT_REQUESTS = 3;

const DISCONNECTS: Readonly<Record<Goodbye, keyof typeof DISCONNECT_REASONS>> = {
  shutdown: "peerQuitting",
  wrongNetwork: "uselessPeer",
  misbehaved: "badProtocol",
  tooManyPeers: "tooManyPeers",
  banned: "uselessPeer",
  tooSlow: "uselessPeer",
  duplicate: "duplicatePeer",
  requested: "requested",
};

/** Messages and reasons with which a peer on another network is disconnected (`spec/07 §A.3.1`). */
const OTHER_NETWORK = {
  INCOMPATIBLE_PROTOCOL: DISCONNECT_REASONS.incompatibleProtocol,
  INVALID_NETWORK: DISCONNECT_REASONS.nullIdentity,
  UNEXPECTED_GENESIS: DISCONNECT_REASONS.unexpectedGenesis,
} as const;

/** Reasons for the next attempt to dial, by the reason of a peer's Disconnect: as if this node had sent it. */
const GOODBYES: ReadonlyMap<number, Goodbye> = new Map([
  [DISCONNECT_REASONS.requested, "requested"],
  [DISCONNECT_REASONS.badProtocol, "misbehaved"],
  [DISCONNECT_REASONS.uselessPeer, "misbehaved"],
  [DISCONNECT_REASONS.tooManyPeers, "tooManyPeers"],
  // The deployed client refuses the address for 10 s (`spec/07 §B.1`).
  [DISCONNECT_REASONS.duplicatePeer, "requested"],
  [DISCONNECT_REASONS.incompatibleProtocol, "wrongNetwork"],
  [DISCONNECT_REASONS.nullIdentity, "wrongNetwork"],
  [DISCONNECT_REASONS.unexpectedGenesis, "wrongNetwork"],
  [DISCONNECT_REASONS.userReason, "requested"],
]);

/** Turns connections into peers, one for each node. Exchanges Status, serves requests and passes on received gossip. */
export class RlpxPeers {
  readonly report: (peer: PeerId, event: ScoringEvent, detail?: string) => void;
  private readonly status: StatusExchange;
  /** Settled when the last request for a snapshot was answered. */
  private snapshots = Promise.resolve();
  private isStopping = false;

  constructor(private readonly parts: RlpxPeersParts) {
    const { peers, sources, scoring, dialSchedule, announce, logger, clock } = parts;
    const { ready, endStalled } = this;
    this.status = new StatusExchange({ peers, sources, announce, ready, endStalled, clock });
    this.report = new PeerReports({
      sessions: peers,
      scoring,
      dialSchedule,
      disconnect: this.disconnect,
      logger,
    }).report;
  }

  /** Starts to repeat Status. */
  start(): void {
    this.status.start();
  }

  /** Adopts a connection whose Hello was exchanged. Throws {@link NetworkingError} `DISCONNECTED` if it is refused. */
  adopt(connection: RlpxConnection): RlpxPeer {
    const { gate, peers, trusted, sources, clock } = this.parts;
    const { remoteAddress, direction, remoteId } = connection;
    const id = peerIdOf(remoteId) ?? "";
    const refusal = this.isStopping ? "peerQuitting" : gate.refusal(id, { ip: remoteAddress.ip, direction });
    if (refusal !== undefined) {
      // The peer may have lost the existing connection. The probe then frees its place for a later connection.
      if (refusal === "duplicatePeer") peers.get(id)?.connection.probe();
      connection.disconnect(DISCONNECT_REASONS[refusal]);
      throw new NetworkingError({ code: "DISCONNECTED", peer: id });
    }
    const peer: RlpxPeer = new RlpxPeer(
      id,
      connection,
      new RskSession({
        version: commonVersion(connection.hello.capabilities),
        channel: {
          send: (code, payload) => connection.send(code, payload),
          drained: () => connection.drained(),
          noteWaiting: (bytes) => connection.noteWaiting(bytes),
          // A Disconnect may still have to be sent.
          close: () => {
            if (!peer.isClosing) connection.destroy();
          },
        },
        handlers: this.handlersOf(() => peer),
        clock,
        logger: this.parts.logger,
      }),
      { isTrusted: trusted.has(id), genesisHash: sources.chain.genesis.hash, since: clock.now() },
    );
    this.replace(peer);
    peer.session.notify({ type: "networkStatus", ...ownNetworkStatus(sources) });
    this.status.send(peer);
    const cancelLimit = clock.after(STATUS_LIMIT, () => this.ready(peer));
    connection.start({
      onMessage: (code, payload) => {
        peer.messagesReceived++;
        peer.session.receive(code, payload);
      },
      onClose: (reason) => {
        cancelLimit();
        this.closed(peer, reason);
      },
    });
    return peer;
  }

  /** Adds a peer to the table, and ends the connection that it replaces. */
  private replace(peer: RlpxPeer): void {
    const { peers } = this.parts;
    const replaced = peers.get(peer.id);
    peers.set(peer);
    if (replaced === undefined) return;
    this.end(replaced, goodbyeText("own", "duplicate"));
    replaced.connection.disconnect(DISCONNECT_REASONS.duplicatePeer);
  }

  /** Sends the reason, then closes. The rest of the node sees the peer as disconnected immediately. */
  readonly disconnect = (peer: RlpxPeer, goodbye: Goodbye): void => {
    if (peer.isClosing) return;
    if (goodbye === "requested") this.parts.dialSchedule.forbid(peer.id, REDIAL_DELAYS[goodbye]);
    this.end(peer, goodbyeText("own", goodbye));
    peer.connection.disconnect(DISCONNECT_REASONS[DISCONNECTS[goodbye]]);
  };

  /** Closes the connections of bad peers immediately. */
  dropAll(isBad: (subject: Required<ScoredSubject>) => boolean): void {
    for (const peer of this.parts.peers.all()) {
      if (!isBad({ peer: peer.id, ip: peer.address.ip })) continue;
      this.end(peer, goodbyeText("own", "misbehaved"));
      peer.connection.destroy();
    }
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.status.stop();
    const closing = this.parts.peers.all().map(({ closed }) => closed);
    for (const peer of this.parts.peers.all()) this.disconnect(peer, "shutdown");
    await Promise.all(closing);
  }

  private handlersOf(peer: () => RlpxPeer) {
    return {
      onRequest: (request: IncomingRequest) => this.serve(request, peer()),
      onNotification: (message: IncomingNotification) => this.receive(message, peer()),
      onUnexpected: () => this.report(peer().id, "UNEXPECTED_MESSAGE", "an answer that was not requested"),
      onExcess: () => this.report(peer().id, "REPEATED_MESSAGE", "too many messages"),
      onMalformed: (error: RlpxError) => this.endUnreadable(peer(), error),
    };
  }

  /** Closes a connection without a Disconnect, as the deployed client does. */
  private endUnreadable(peer: RlpxPeer, { message }: RlpxError): void {
    this.end(peer, `${goodbyeText("own", "misbehaved")}: ${message}`);
    peer.connection.destroy();
    this.report(peer.id, "UNREADABLE_MESSAGE", message);
  }

  private receive(message: IncomingNotification, peer: RlpxPeer): void {
    if (message.type === "networkStatus") this.checkNetwork(message, peer);
    else if (message.type === "status") this.status.receive(message, peer);
    else if (message.type === "blockRange") this.status.receiveRange(message, peer);
    else this.parts.gossip.receive(message, peer);
  }

  /** Checks the network in the order of `spec/07 §A.3.1`. */
  private checkNetwork({ protocolVersion, networkId, genesisHash }: NetworkStatus, peer: RlpxPeer): void {
    const { chain } = this.parts.sources;
    if (protocolVersion !== FIRST_VERSION && protocolVersion !== peer.version)
      this.refuse(peer, "INCOMPATIBLE_PROTOCOL", `version ${protocolVersion}`);
    else if (networkId !== chain.network.networkId) this.refuse(peer, "INVALID_NETWORK", `network ${networkId}`);
    else if (!equalBytes(genesisHash, chain.genesis.hash)) this.refuse(peer, "UNEXPECTED_GENESIS", toHex(genesisHash));
  }

  private refuse(peer: RlpxPeer, event: keyof typeof OTHER_NETWORK, detail: string): void {
    this.end(peer, goodbyeText("own", "wrongNetwork"));
    peer.connection.disconnect(OTHER_NETWORK[event]);
    this.report(peer.id, event, detail);
  }

  /** Disconnects a stalled peer. It was inbound, so it is dialled once the connection has ended. */
  private readonly endStalled = (peer: RlpxPeer): void => {
    this.parts.logger.debug({ peer: peer.id }, "Ending a connection over which a deployed node does not synchronise");
    this.disconnect(peer, "duplicate");
  };

  private readonly ready = (peer: RlpxPeer): void => {
    if (peer.isReady || peer.isClosing) return;
    peer.begin();
    this.report(peer.id, "SUCCESSFUL_HANDSHAKE", peer.status.clientId);
    if (!peer.isClosing) this.parts.announce({ kind: "peerConnected", peer });
  };

  private async serve(request: IncomingRequest, peer: RlpxPeer): Promise<void> {
    // The deployed client does not answer either if a hash does not have 32 bytes.
    if ("hash" in request && request.hash.length === 0) return;
    if (request.type === "getBlock") {
      const block = this.parts.sources.chain.encodedBlock(request.hash);
      if (block === undefined) return;
      peer.markKnown(request.hash);
      peer.session.respond({ type: "block", block });
      return;
    }
    this.status.noteRequest(peer);
    if (request.type.startsWith("snap")) await this.serveSnapshot(request, peer);
    else await this.answer(request, peer);
  }

  /** Serves snapshots one at a time for all peers, because each takes long to read. */
  private async serveSnapshot(request: RskRequest, peer: RlpxPeer): Promise<void> {
    if (peer.snapshotRequests >= MAX_SNAPSHOT_REQUESTS) return;
    peer.snapshotRequests++;
    const turn = this.snapshots.then(() => this.answer(request, peer));
    this.snapshots = turn.catch(() => undefined);
    try {
      await turn;
    } finally {
      peer.snapshotRequests--;
    }
  }

  /** Reads the answer between other work. */
  private async answer(request: RskRequest, peer: RlpxPeer): Promise<void> {
    await new Promise(setImmediate);
    const answer = peer.isClosing ? undefined : answerTo(request, this.parts.sources);
    if (answer !== undefined) peer.session.respond(answer);
  }

  private closed(peer: RlpxPeer, reason: CloseReason): void {
    if (reason.kind === "violation") this.report(peer.id, "UNREADABLE_MESSAGE", reason.error.message);
    const goodbye = reason.kind === "disconnected" ? GOODBYES.get(reason.reason) : undefined;
    const { dialSchedule, clock } = this.parts;
    if (goodbye !== undefined) dialSchedule.forbid(peer.id, REDIAL_DELAYS[goodbye]);
    const isStable = clock.now() - peer.since >= STABLE_AFTER;
    if (isStable) dialSchedule.succeeded(peer.id);
    else if (peer.direction === "outbound" && peer.hasBegun) dialSchedule.failed(peer.id);
    this.end(peer, closeText(reason, goodbye));
    this.parts.peers.delete(peer);
    peer.markClosed();
    this.parts.ended(peer);
  }

  /** Ends a peer for the rest of the node; its connection may stay open for a moment. */
  private end(peer: RlpxPeer, reason: string): void {
    if (peer.isClosing) return;
    const wasReady = peer.isReady;
    peer.end();
    peer.session.close("disconnected");
    if (wasReady) this.parts.announce({ kind: "peerDisconnected", peer, reason });
  }
}

function closeText(reason: CloseReason, goodbye: Goodbye | undefined): string {
  switch (reason.kind) {
    case "disconnected":
      return goodbyeText("peer", reason.reason === DISCONNECT_REASONS.peerQuitting ? "shutdown" : goodbye);
    case "violation":
      return `${goodbyeText("own", "misbehaved")}: ${reason.error.message}`;
    case "time-out":
      return goodbyeText("own", "tooSlow");
    default:
      return CONNECTION_LOST;
  }
}
