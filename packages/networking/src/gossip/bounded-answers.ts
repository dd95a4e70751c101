import { MIB } from "../wire/limits.js";
import type { GossipMessage, GossipService } from "./gossip-service.js";

/** Bytes and messages of one frame; a message that is longer has one to itself. */
const MOST_BYTES = MIB;
const MOST_MESSAGES = 500;

/**
 * Peers ask for messages that they missed, for any number at once. The library answers with one frame, which may be far
 * longer than a frame may be; here it is several.
 */
export function answerInPortions(service: GossipService): void {
  const { handleIWant } = service;
  service.handleIWant = (peer, wanted) => {
    const [first = [], ...others] = portions(handleIWant.call(service, peer, wanted));
    for (const messages of others) service.sendRpc(peer, { subscriptions: [], messages });
    return first;
  };
}

function portions(messages: readonly GossipMessage[]): GossipMessage[][] {
  const all: GossipMessage[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const length = message.data?.length ?? 0;
    const last = all.at(-1);
    if (last === undefined || last.length === MOST_MESSAGES || bytes + length > MOST_BYTES) {
      all.push([message]);
      bytes = length;
    } else {
      last.push(message);
      bytes += length;
    }
  }
  return all;
}
