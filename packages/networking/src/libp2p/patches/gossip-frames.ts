import type { PeerId as Libp2pPeerId } from "@libp2p/interface";
import type { PeerId } from "../../interface.js";
import { withPrivateMembers } from "./private-members.js";

/** Errors of the decoder of frame lengths. All others mean that the stream ended, which is no offence. */
const BAD_LENGTHS: ReadonlySet<string> = new Set([
  "InvalidMessageLengthError",
  "InvalidDataLengthError",
  "InvalidDataLengthLengthError",
]);
/** Placeholder for a frame that could not be decoded. */
const UNREADABLE = {};

interface FrameReading {
  decodeRpc(bytes: Uint8Array): object;
  handleReceivedRpc(from: Libp2pPeerId, rpc: object): Promise<void>;
  handlePeerReadStreamError(error: Error, from: Libp2pPeerId): void;
}

/**
 * Reports peers that send frames which are too long or cannot be decoded: the library only logs them. Throws
 * `NetworkingError` `LIBRARY_CHANGED`.
 *
 * No upstream issue asks for this. It is unnecessary once gossipsub emits an event with the peer for each such frame.
 * https://github.com/ChainSafe/js-libp2p-gossipsub/pull/412 added metrics, which do not name the peer.
 */
export function reportMalformedFrames(service: object, report: (peer: PeerId, detail: string) => void): void {
  const reading = withPrivateMembers<FrameReading>(service, "@libp2p/gossipsub", {
    decodeRpc: "function",
    handleReceivedRpc: "function",
    handlePeerReadStreamError: "function",
  });
  const { decodeRpc, handleReceivedRpc, handlePeerReadStreamError } = reading;
  reading.decodeRpc = (bytes) => {
    try {
      return decodeRpc.call(service, bytes);
    } catch {
      return UNREADABLE;
    }
  };
  reading.handleReceivedRpc = async (from, rpc) => {
    if (rpc === UNREADABLE) report(from.toString(), "a frame that cannot be decoded");
    else await handleReceivedRpc.call(service, from, rpc);
  };
  reading.handlePeerReadStreamError = (error, from) => {
    handlePeerReadStreamError.call(service, error, from);
    if (BAD_LENGTHS.has(error.name)) report(from.toString(), "a frame that is too long");
  };
}
