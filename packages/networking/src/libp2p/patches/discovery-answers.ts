import type { PeerId, PeerInfo } from "@libp2p/interface";
import type { QueryEvent } from "@libp2p/kad-dht";
import { withPrivateMembers } from "./private-members.js";

interface Requesting {
  readonly network: {
    /** Sends a request to one peer; all searches use it. */
    sendRequest(to: PeerId, ...rest: unknown[]): AsyncGenerator<QueryEvent>;
  };
}

/**
 * Replaces the peers in an answer by those that `filter` resolves with, so that a search continues with them only.
 * Answers name no providers. Throws `NetworkingError` `LIBRARY_CHANGED`.
 *
 * No upstream issue asks for this. It is unnecessary once kad-dht has an option that filters peers by the sender of the
 * answer. Its option `peerInfoMapper` gets a peer without its source.
 */
export function filterAnswers(kad: object, filter: (from: PeerId, peers: PeerInfo[]) => Promise<PeerInfo[]>): void {
  const { network } = withPrivateMembers<Requesting>(kad, "@libp2p/kad-dht", { "network.sendRequest": "function" });
  const sendRequest = network.sendRequest.bind(network);
  network.sendRequest = async function* (to, ...rest) {
    for await (const event of sendRequest(to, ...rest)) {
      if (event.name !== "PEER_RESPONSE") yield event;
      else yield { ...event, closer: await filter(to, event.closer), providers: [] };
    }
  };
}
