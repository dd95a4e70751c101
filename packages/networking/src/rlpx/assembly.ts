import { platformClock, secp256k1, steadyTime } from "@cambium/primitives";
import type { RlpxConnection } from "@cambium/rlpx";
import { NetworkingError } from "../errors.js";
import type { Peer, PeerId } from "../interface.js";
import type { NetworkingOptions } from "../options.js";
import type { NetworkParts, WireSetup } from "../parts.js";
import { DialSchedule } from "../peers/dial-schedule.js";
import { Listeners } from "../peers/listeners.js";
import { type DialTarget, targetOf } from "../shared/dial-target.js";
import { blockFrameBytes } from "../shared/limits.js";
import { peerIdOf } from "../shared/peer-id.js";
import { developmentTimings, timingsOf } from "../shared/timings.js";
import { Dialer } from "./dialer.js";
import { RlpxGate } from "./gate.js";
import { RlpxGossip } from "./gossip.js";
import { RlpxHost } from "./host.js";
import { RlpxPeerTable } from "./peer-table.js";
import { RlpxPeers } from "./peers.js";
import { createRlpxRequests } from "./requests.js";

const MINUTE = 60_000;

/** The parts of the wire. */
export type RlpxAssembly = ReturnType<typeof assemble>;

/** Creates the parts of the wire and connects them. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function assemble(options: NetworkingOptions, parts: NetworkParts, setup: WireSetup) {
  const { sources, scoring, logger } = parts;
  const { network } = options;
  const { chain } = sources;
  const isDevelopment = network.parentChain === "regtest";
  const fixed = new Set(options.rlpx.nodes.map((text) => targetOf(text, "rlpx.nodes")));
  const nodeId = secp256k1.publicKey(setup.key);
  const ownId = peerIdOf(nodeId)!;
  const trusted = new Set(options.trustedPeers);
  const limits = setup.limits.of("rlpx");
  const { redial, heartbeat } = parts.timings ?? (isDevelopment ? developmentTimings() : timingsOf());
  const table = new RlpxPeerTable();
  const events = new Listeners(logger);
  const schedule = new DialSchedule(steadyTime, { first: redial, longest: isDevelopment ? redial : 30 * MINUTE });

  function adoptInbound(connection: RlpxConnection): void {
    try {
      const { id } = connected.adopt(connection);
      const { hello, remoteAddress, remoteId } = connection;
      if (hello.listenPort === 0) return;
      dialer.remember({ id, nodeId: remoteId, host: remoteAddress.ip, port: hello.listenPort });
    } catch (error) {
      if (!(error instanceof NetworkingError)) throw error;
    }
  }

  /** Connects and exchanges Status. */
  async function connect(target: DialTarget): Promise<Peer> {
    const peer = connected.adopt(await host.dial(target));
    dialer.remember(target);
    if (await peer.ready) return peer;
    throw new NetworkingError({ code: "DISCONNECTED", peer: peer.id });
  }

  const gate = new RlpxGate({
    ownId,
    peers: table,
    limits,
    trusted,
    scoring,
    isConnectedElsewhere: (peer) => setup.limits.isConnectedElsewhere("rlpx", peer),
    isForbidden: (peer) => schedule.isForbidden(peer),
    now: () => platformClock.now(),
  });
  const host = new RlpxHost({
    options,
    parts,
    setup,
    nodeId,
    isDevelopment,
    mayAccept: (ip) => gate.mayAccept(ip),
    onConnection: adoptInbound,
    wantsNodes: () => table.size < limits.target,
  });
  const gossip = new RlpxGossip({
    network,
    isDevelopment,
    peers: () => table.ready(),
    maxBlockBytes: () => blockFrameBytes(chain.best().header.gasLimitValue),
    report: (peer, event, detail) => connected.report(peer, event, detail),
    clock: () => performance.now(),
    logger,
  });
  const connected: RlpxPeers = new RlpxPeers({
    peers: table,
    gate,
    gossip,
    sources,
    scoring,
    dialSchedule: schedule,
    trusted,
    announce: (event) => events.emit(event),
    ended: (peer) => {
      gossip.forget(peer.id);
      if (peer.direction === "inbound") dialer.redial(peer.id);
    },
    clock: platformClock,
    logger,
  });
  const requests = createRlpxRequests({
    network,
    genesisHash: chain.genesis.hash,
    peer: (id: PeerId) => table.get(id),
    report: connected.report,
  });
  const dialer: Dialer = new Dialer({
    peers: table,
    gate,
    limits,
    fixed,
    discovered: () => host.discovered(),
    bootNodes: () => host.bootNodes(),
    eclipse: setup.eclipse,
    disconnect: (peer) => connected.disconnect(peer, "tooManyPeers"),
    dialSchedule: schedule,
    dial: connect,
    clock: platformClock,
    interval: heartbeat,
    logger,
  });
  return { ownId, trusted, fixed, table, events, schedule, host, gossip, connected, requests, dialer, connect };
}
