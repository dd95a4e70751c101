import type { PeerId as Libp2pPeerId } from "@libp2p/interface";
import type { PeerId } from "../interface.js";
import type { GossipService } from "./gossip-service.js";

/** Of the decoder of lengths. Any other error is a stream that ended, which happens to the best. */
const BAD_LENGTHS: ReadonlySet<string> = new Set([
  "InvalidMessageLengthError",
  "InvalidDataLengthError",
  "InvalidDataLengthLengthError",
]);
/** In the place of what could not be decoded. */
const UNREADABLE = {};

/** Tells who sends frames that are too long or cannot be decoded: the library itself keeps that to its log. */
export function tellMalformedFrames(service: GossipService, tell: (peer: PeerId, detail: string) => void): void {
  const { decodeRpc, handleReceivedRpc, handlePeerReadStreamError } = service;
  service.decodeRpc = (bytes) => {
    try {
      return decodeRpc.call(service, bytes);
    } catch {
      return UNREADABLE;
    }
  };
  service.handleReceivedRpc = async (from: Libp2pPeerId, rpc: object) => {
    if (rpc === UNREADABLE) tell(from.toString(), "a frame that cannot be decoded");
    else await handleReceivedRpc.call(service, from, rpc);
  };
  service.handlePeerReadStreamError = (error: Error, from: Libp2pPeerId) => {
    handlePeerReadStreamError.call(service, error, from);
    if (BAD_LENGTHS.has(error.name)) tell(from.toString(), "a frame that is too long");
  };
}
