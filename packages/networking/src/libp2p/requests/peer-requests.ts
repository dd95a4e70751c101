import { NetworkingError } from "../../errors.js";
import type { PeerId, PeerRequests } from "../../interface.js";
import type { ScoringEvent } from "../../scoring/events.js";
import { isBranch } from "../../serving/answer-checks.js";
import type { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";
import type { ItemOf, ProtocolName, RequestOf } from "../wire/protocols.js";
import type { Requester } from "./requester.js";

export interface PeerRequestsParts {
  sessions: SessionTable;
  requester: Requester;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
}

/** Creates the requests to a peer by its id. They reject with {@link NetworkingError}. */
export function createPeerRequests(parts: PeerRequestsParts): PeerRequests {
  const { requester } = parts;

  function sessionOf(peer: PeerId): Session {
    const session = parts.sessions.get(peer);
    if (session?.isReady) return session;
    throw new NetworkingError({ code: "DISCONNECTED", peer });
  }

  /** Returns the items up to the end of the answer, or to the first that the peer does not have. */
  async function collect<N extends ProtocolName>(name: N, peer: PeerId, request: RequestOf<N>, signal?: AbortSignal) {
    const items: ItemOf<N>[] = [];
    for await (const answer of requester.ask(name, sessionOf(peer), request, signal)) {
      if (answer.kind === "not-available") break;
      items.push(answer.item);
    }
    if (items.length === 0) throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: name });
    return items;
  }

  async function single<N extends ProtocolName>(name: N, peer: PeerId, request: RequestOf<N>, signal?: AbortSignal) {
    return (await collect(name, peer, request, signal))[0] as ItemOf<N>;
  }

  /** Yields one item for each requested one; undefined for those that the peer does not have. */
  async function* each<N extends ProtocolName>(name: N, peer: PeerId, request: RequestOf<N>, signal?: AbortSignal) {
    for await (const answer of requester.ask(name, sessionOf(peer), request, signal)) {
      yield answer.kind === "data" ? answer.item : undefined;
    }
  }

  async function headers(peer: PeerId, hash: Uint8Array, count: number, signal?: AbortSignal) {
    const branch = await collect("headers", peer, { hash, count }, signal);
    if (isBranch(branch)) return branch;
    const reason = "headers that are not linked";
    parts.report(peer, "INVALID_MESSAGE", reason);
    throw new NetworkingError({ code: "INVALID_ANSWER", protocol: "headers", reason });
  }

  return {
    hashes: (peer, heights, signal) => single("hashes", peer, heights, signal),
    skeleton: (peer, start, count, signal) => single("skeleton", peer, { start, count }, signal),
    headers,
    bodies: (peer, hashes, signal) => each("bodies", peer, hashes, signal),
    blocks: (peer, hashes, signal) => each("blocks", peer, hashes, signal),
    transactions: (peer, hashes, signal) => each("txs", peer, hashes, signal),
    snapshotStatus: (peer, signal) => single("snap-status", peer, undefined, signal),
    snapshotBlocks: (peer, below, signal) => collect("snap-blocks", peer, below, signal),
    snapshotChunk: (peer, blockNumber, from, signal) => single("snap-chunk", peer, { blockNumber, from }, signal),
  };
}
