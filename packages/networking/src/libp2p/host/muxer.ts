import type { Stream, StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import type { PeerId } from "../../interface.js";
import { KIB } from "../../shared/limits.js";
import { ignoreFailedSends } from "../patches/failed-sends.js";
import { checkMuxer, countFrames } from "../patches/frame-counting.js";
import { measureStreams } from "./stream-bytes.js";

/** Maximum number of streams per connection (`spec/07 §D.5`). */
const MUXER_STREAMS = 128;

/** Counts the streams that peers open and the pings that they send. */
export interface StreamTally {
  /** The peer of the connection with these streams; undefined before the connection is open. */
  peerOf(streams: readonly Stream[]): PeerId | undefined;
  count(peer: PeerId): void;
}

/**
 * Yamux with the limits of `spec/07 §D.5`. Windows are smaller than the read buffer, so that a paused stream never
 * overflows it. Throws `NetworkingError` `LIBRARY_CHANGED`.
 */
export function muxer(tally: StreamTally): () => StreamMuxerFactory {
  checkMuxer();
  const create = yamux({
    // Disabled because the exchange of Status finds lost connections.
    enableKeepAlive: false,
    maxInboundStreams: MUXER_STREAMS,
    maxOutboundStreams: MUXER_STREAMS,
    streamOptions: {
      initialStreamWindowSize: 256 * KIB,
      maxStreamWindowSize: 512 * KIB,
      maxReadBufferLength: 1024 * KIB,
    },
  });
  return () => {
    const factory = create();
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const muxer = measureStreams(createStreamMuxer(ignoreFailedSends(connection)));
      let peer: PeerId | undefined;
      return countFrames(muxer, () => {
        peer ??= tally.peerOf(muxer.streams);
        if (peer !== undefined) tally.count(peer);
      });
    };
    return factory;
  };
}
