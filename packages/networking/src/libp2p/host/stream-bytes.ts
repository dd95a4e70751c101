import { counter, forEach } from "@cambium/primitives";
import type { Stream } from "@libp2p/interface";
import type { Muxer } from "../patches/frame-counting.js";
import { withPrivateMembers } from "../patches/private-members.js";
import { PROTOCOL_NAMES } from "../wire/protocols.js";

/**
 * Names of measured protocols. `negotiation` belongs to the negotiation of a stream's protocol; unlisted protocols are
 * `other`.
 */
const PROTOCOLS = [...PROTOCOL_NAMES, "kad", "gossip", "identify", "ping", "negotiation", "other"] as const;
type Measured = (typeof PROTOCOLS)[number];

const HELP = "Bytes exchanged with peers, by wire, direction and protocol or message, without encryption and framing";

const bytes = (direction: "received" | "sent") =>
  forEach(PROTOCOLS, (protocol) => counter("cambium_peer_bytes_total", HELP, { wire: "libp2p", direction, protocol }));

const RECEIVED = bytes("received");
const SENT = bytes("sent");

interface DataReceiver {
  onData(data: { byteLength: number }): void;
}

interface RemoteStreams {
  onRemoteStream(stream: Stream): void;
}

/** Counts the bytes of all streams of a connection. Throws `NetworkingError` `LIBRARY_CHANGED`. */
export function measureStreams(muxer: Muxer): Muxer {
  const createStream = muxer.createStream.bind(muxer);
  muxer.createStream = async (options) => measured(await createStream(options));
  // A listener for the event would take streams that arrive before the library listens.
  const remote = withPrivateMembers<RemoteStreams>(muxer, "@libp2p/yamux", { onRemoteStream: "function" });
  const onRemoteStream = remote.onRemoteStream.bind(muxer);
  remote.onRemoteStream = (stream) => onRemoteStream(measured(stream));
  return muxer;
}

function measured<S extends Stream>(stream: S): S {
  const receiver = withPrivateMembers<DataReceiver>(stream, "@libp2p/utils", { onData: "function" });
  const onData = receiver.onData.bind(stream);
  const send = stream.send.bind(stream);
  receiver.onData = (data) => {
    RECEIVED[protocolOf(stream)].add(data.byteLength);
    onData(data);
  };
  stream.send = (data) => {
    SENT[protocolOf(stream)].add(data.byteLength);
    return send(data);
  };
  return stream;
}

const known = new Map<string, Measured>([["", "negotiation"]]);

function protocolOf({ protocol }: Stream): Measured {
  let name = known.get(protocol);
  if (name === undefined) {
    name = measuredProtocol(protocol);
    // Peers can negotiate only what this node serves.
    known.set(protocol, name);
  }
  return name;
}

/** Protocols of this project end in their name and version, those of the library begin with their name. */
function measuredProtocol(protocol: string): Measured {
  const words = protocol.split("/");
  if (words[1] === "meshsub" || words[1] === "floodsub") return "gossip";
  if (protocol.startsWith("/ipfs/id/")) return "identify";
  const name = words[1] === "cambium" ? words[3] : words[2];
  return PROTOCOLS.find((one) => one === name) ?? "other";
}
