import { steadyTime } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { NetworkingOptions } from "../options.js";
import type { NetworkParts } from "../parts.js";
import { DialSchedule } from "../peers/dial-schedule.js";
import { Listeners } from "../peers/listeners.js";
import type { OwnKeyUse } from "../peers/own-key-use.js";
import { PeerRateLimiter } from "../peers/peer-rate-limiter.js";
import { PeerReports } from "../peers/peer-reports.js";
import type { ScoringEvent } from "../scoring/events.js";
import { developmentTimings, timingsOf } from "../shared/timings.js";
import { ConnectionGate } from "./host/connection-gate.js";
import { Connections } from "./peers/connections.js";
import { FrameCounter, OPENED_STREAMS } from "./peers/frame-counter.js";
import { Handshake } from "./peers/handshake.js";
import { ownStatus } from "./peers/own-status.js";
import { ratesOf } from "./requests/rates.js";
import { RequestServer } from "./requests/request-server.js";
import { Requester } from "./requests/requester.js";
import { createResponders } from "./serving/responders.js";
import { SessionTable } from "./sessions/session-table.js";
import { networkLabel } from "./wire/ids.js";
import { protocolsOf } from "./wire/protocols.js";

const MINUTE = 60_000;

/** The parts of a network. */
export type Assembly = ReturnType<typeof assemble>;

/** Creates the parts that do not need libp2p. */
export function assemble(
  options: NetworkingOptions,
  { sources, scoring, logger, timings: ownTimings }: NetworkParts,
  ownId: PeerId,
  { trusted, ownKey }: { trusted: ReadonlySet<PeerId>; ownKey: OwnKeyUse },
) {
  const { chain } = sources;
  const isDevelopment = options.network.parentChain === "regtest";
  const timings = ownTimings ?? (isDevelopment ? developmentTimings() : timingsOf());
  const label = networkLabel(options.network, chain.genesis.hash);
  const protocols = protocolsOf(options.network);
  const rates = ratesOf(protocols, isDevelopment);
  const clock = () => performance.now();
  const gasLimit = () => chain.best().header.gasLimitValue;
  const sessions = new SessionTable();
  const events = new Listeners(logger);
  const dialSchedule = new DialSchedule(steadyTime, {
    first: timings.redial,
    longest: isDevelopment ? timings.redial : 30 * MINUTE,
  });
  const report = (peer: PeerId, event: ScoringEvent, detail?: string) => reports.report(peer, event, detail);
  const gate = new ConnectionGate({
    ownId,
    limits: options.limits,
    trusted,
    scoring,
    allowsPrivate: isDevelopment,
    connected: (id) => sessions.get(id),
    connections: () => sessions.all().map(({ id, direction, address }) => ({ id, direction, ip: address.ip })),
    isForbidden: (id) => dialSchedule.isForbidden(id),
    onOwnKey: (address) => ownKey.proved(address),
    onFailedUpgrade: (ip) => scoring.record({ ip }, "FAILED_HANDSHAKE"),
  });
  const askLimiter = new PeerRateLimiter(rates.asked, clock);
  const serveLimiter = new PeerRateLimiter(rates.served, clock);
  const gossipLimiter = new PeerRateLimiter(rates.gossip, clock);
  const streamLimiter = new PeerRateLimiter(OPENED_STREAMS, clock);
  const requester = new Requester({ protocols, label, timings, gasLimit, limiter: askLimiter, report, logger });
  const listening = { port: 0 };
  const handshake = new Handshake({
    sessions,
    requester,
    timings,
    ownStatus: () =>
      ownStatus(sources, {
        servesSnapshots: options.servesSnapshots,
        clientId: options.clientId,
        listenPort: () => listening.port,
      }),
    report,
    announce: (event) => events.emit(event),
    logger,
  });
  const connections = new Connections({
    ownId,
    sessions,
    gate,
    trusted,
    rates: rates.asked,
    handshake,
    requester,
    dialSchedule,
    timings,
    announce: (event) => events.emit(event),
    forget: (peer) => {
      for (const limiter of [askLimiter, serveLimiter, gossipLimiter, streamLimiter]) limiter.forget(peer);
    },
    logger,
  });
  const reports = new PeerReports({ sessions, scoring, dialSchedule, disconnect: connections.disconnect, logger });
  const streams = new FrameCounter({ sessions, limiter: streamLimiter, report, drop: connections.drop });
  const server = new RequestServer({
    protocols,
    label,
    timings,
    sessions,
    limiter: serveLimiter,
    gasLimit,
    report,
    logger,
  });
  const responders = {
    ...createResponders(sources),
    status: (status: Parameters<Handshake["answer"]>[0], peer: PeerId) => handshake.answer(status, peer),
    goodbye: (reason: number, peer: PeerId) => {
      connections.receivedGoodbye(peer, reason);
      return [];
    },
  };
  return {
    ownId,
    isDevelopment,
    label,
    timings,
    gasLimit,
    sessions,
    events,
    dialSchedule,
    report,
    gate,
    requester,
    gossipLimiter,
    listening,
    handshake,
    connections,
    streams,
    server,
    responders,
  };
}
