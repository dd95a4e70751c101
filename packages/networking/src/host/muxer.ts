import type { MessageStream, Stream, StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import type { PeerId } from "../interface.js";
import { KIB } from "../wire/limits.js";

/** `spec/07 §D.5`. */
const MUXER_STREAMS = 128;

/** Who is told of every stream that a peer opens, and of every ping. */
export interface StreamTally {
  /** Who is at the other end of the connection with these streams; undefined where it is not open yet. */
  peerOf(streams: readonly Stream[]): PeerId | undefined;
  count(peer: PeerId): void;
}

/** What the library does about frames that it has to answer, also where the peer does not read the answer. */
interface Answering {
  incomingStream(id: number): void;
  handlePing(header: object): void;
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

/** Counts before anything is done about it: streams that are refused, or end at once, are told of by no event. */
function counted(muxer: Muxer, tally: StreamTally): Muxer {
  let peer: PeerId | undefined;
  const count = () => {
    peer ??= tally.peerOf(muxer.streams);
    if (peer !== undefined) tally.count(peer);
  };
  const answering = muxer as unknown as Answering;
  const incomingStream = answering.incomingStream.bind(muxer);
  const handlePing = answering.handlePing.bind(muxer);
  answering.incomingStream = (id) => {
    count();
    incomingStream(id);
  };
  answering.handlePing = (header) => {
    count();
    handlePing(header);
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
