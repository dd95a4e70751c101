import type { MessageStream } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { KIB } from "../wire/limits.js";

/** `spec/07 §D.5`. */
const MUXER_STREAMS = 128;

/** Windows are below the read buffer, so that a stream that is held back never overflows it. */
export function muxer(): ReturnType<typeof yamux> {
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
    factory.createStreamMuxer = (connection) => createStreamMuxer(mutedAtTheEnd(connection));
    return factory;
  };
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
