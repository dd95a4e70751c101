import { Gate } from "./host/gate.js";
import type { PeerId } from "./interface.js";
import type { NetworkModules } from "./network.js";
import type { NetworkingOptions } from "./options.js";
import { Connections } from "./peers/connections.js";
import { DialBook } from "./peers/dial-book.js";
import { Handshake } from "./peers/handshake.js";
import { Listeners } from "./peers/listeners.js";
import { ownStatus } from "./peers/own-status.js";
import { Referee } from "./peers/referee.js";
import { SessionTable } from "./peers/session-table.js";
import { OPENED_STREAMS, StreamCounter } from "./peers/stream-counter.js";
import { ratesOf } from "./requests/rates.js";
import { RequestServer } from "./requests/request-server.js";
import { Requester } from "./requests/requester.js";
import type { ScoringEvent } from "./scoring/events.js";
import { createResponders } from "./serving/responders.js";
import { developmentTimings, timingsOf } from "./timings.js";
import { networkLabel } from "./wire/ids.js";
import { protocolsOf } from "./wire/protocols.js";
import { RateLimiter } from "./wire/rate-limiter.js";

const MINUTE = 60_000;

/** The parts of a network, put together. */
export type Assembly = ReturnType<typeof assemble>;

/** Everything that does not need libp2p yet. */
export function assemble(
  options: NetworkingOptions,
  { sources, scoring, logger, timings: ownTimings }: NetworkModules,
  ownId: PeerId,
  trusted: ReadonlySet<PeerId>,
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
  const dialBook = new DialBook(Date.now, {
    first: timings.redial,
    longest: isDevelopment ? timings.redial : 30 * MINUTE,
  });
  const report = (peer: PeerId, event: ScoringEvent, detail?: string) => referee.report(peer, event, detail);
  const gate = new Gate({
    ownId,
    limits: options.limits,
    trusted,
    scoring,
    allowsPrivate: isDevelopment,
    connected: (id) => sessions.get(id),
    connections: () => sessions.all().map(({ id, direction, address }) => ({ id, direction, ip: address.ip })),
    isForbidden: (id) => dialBook.isForbidden(id),
    onFailedUpgrade: (ip) => scoring.record({ ip }, "FAILED_HANDSHAKE"),
  });
  const askLimiter = new RateLimiter(rates.asked, clock);
  const serveLimiter = new RateLimiter(rates.served, clock);
  const gossipLimiter = new RateLimiter(rates.gossip, clock);
  const streamLimiter = new RateLimiter(OPENED_STREAMS, clock);
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
    announce: (event) => events.tell(event),
    logger,
  });
  const connections = new Connections({
    ownId,
    sessions,
    gate,
    trusted,
    handshake,
    requester,
    dialBook,
    timings,
    announce: (event) => events.tell(event),
    forget: (peer) => {
      for (const limiter of [askLimiter, serveLimiter, gossipLimiter, streamLimiter]) limiter.forget(peer);
    },
    logger,
  });
  const referee = new Referee({ sessions, scoring, dialBook, disconnect: connections.disconnect, logger });
  const streams = new StreamCounter({ sessions, limiter: streamLimiter, report, drop: connections.drop });
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
      connections.heardGoodbye(peer, reason);
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
    dialBook,
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
