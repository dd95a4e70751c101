import type { MessageStream, Stream, StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import type { PeerId } from "../interface.js";
import { KIB } from "../wire/limits.js";

/** `spec/07 §D.5`. */
const MUXER_STREAMS = 128;

/** Who is told of every stream that a peer opens. */
export interface StreamTally {
  /** Undefined where nothing is known of its connection yet. */
  peerOf(stream: Stream): PeerId | undefined;
  count(peer: PeerId): void;
}

type Factory = ReturnType<ReturnType<typeof yamux>>;
type Muxer = ReturnType<Factory["createStreamMuxer"]>;

/** Windows are below the read buffer, so that a stream that is held back never overflows it. */
export function muxer(tally: StreamTally): () => StreamMuxerFactory {
  const create = yamux({
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
    factory.createStreamMuxer = (connection) => counted(createStreamMuxer(mutedAtTheEnd(connection)), tally);
    return factory;
  };
}

/** A listener for its streams would take from the connection those that are there before it listens itself. */
function counted(muxer: Muxer, tally: StreamTally): Muxer {
  const onRemoteStream = muxer.onRemoteStream.bind(muxer);
  let peer: PeerId | undefined;
  muxer.onRemoteStream = (stream) => {
    onRemoteStream(stream);
    peer ??= tally.peerOf(stream);
    if (peer !== undefined) tally.count(peer);
  };
  return muxer;
}

/**
 * The library opens streams in a task of its own. Where the connection has just ended, an error there would have nobody
 * to go to and end the process; what is sent then is lost anyway, and the end of the connection is told of by its event.
 */
function mutedAtTheEnd(connection: MessageStream): MessageStream {
  const send = connection.send.bind(connection);
  connection.send = (data) => {
    try {
      return send(data);
    } catch {
      return false;
    }
  };
  return connection;
}
