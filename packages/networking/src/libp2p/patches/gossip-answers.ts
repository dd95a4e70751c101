import type { PeerId } from "../../interface.js";
import { MIB } from "../../shared/limits.js";
import { withPrivateMembers } from "./private-members.js";

/** Limits of one frame; a longer message has a frame to itself. */
const MAX_FRAME_BYTES = MIB;
const MAX_FRAME_MESSAGES = 500;

/** One of the messages of a frame. */
interface GossipMessage {
  data?: Uint8Array;
}

interface Answering {
  handleIWant(peer: PeerId, wanted: unknown): GossipMessage[];
  sendRpc(peer: PeerId, rpc: { subscriptions: []; messages: GossipMessage[] }): boolean;
}

/**
 * Splits answers to requests for missed messages (IWANT) into frames of limited size. The library sends the whole
 * answer as one frame, which may be far longer than the receiver accepts. Throws `NetworkingError` `LIBRARY_CHANGED`.
 *
 * No issue of js-libp2p asks for this. It is unnecessary once gossipsub splits its answers, as go-libp2p-pubsub does
 * since https://github.com/libp2p/go-libp2p-pubsub/issues/307.
 */
export function splitAnswers(service: object): void {
  const answering = withPrivateMembers<Answering>(service, "@libp2p/gossipsub", {
    handleIWant: "function",
    sendRpc: "function",
  });
  const { handleIWant } = answering;
  answering.handleIWant = (peer, wanted) => {
    const [first = [], ...others] = split(handleIWant.call(service, peer, wanted));
    for (const messages of others) answering.sendRpc(peer, { subscriptions: [], messages });
    return first;
  };
}

function split(messages: readonly GossipMessage[]): GossipMessage[][] {
  const frames: GossipMessage[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const length = message.data?.length ?? 0;
    const last = frames.at(-1);
    if (last === undefined || last.length === MAX_FRAME_MESSAGES || bytes + length > MAX_FRAME_BYTES) {
      frames.push([message]);
      bytes = length;
    } else {
      last.push(message);
      bytes += length;
    }
  }
  return frames;
}
