import type { Logger, MessageStream, StreamMuxerFactory } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { withPrivateMembers } from "./private-members.js";

/** A muxer of the library. */
export type Muxer = ReturnType<ReturnType<ReturnType<typeof yamux>>["createStreamMuxer"]>;

/** Handlers of inbound frames that the library answers, whether or not the peer reads the answers. */
interface FrameHandlers {
  incomingStream(id: number): void;
  handlePing(header: object): void;
}

/** Checks the members that {@link countFrames} replaces. Throws `NetworkingError` `LIBRARY_CHANGED`. */
function frameHandlersOf(muxer: object): FrameHandlers {
  return withPrivateMembers(muxer, "@libp2p/yamux", { incomingStream: "function", handlePing: "function" });
}

/**
 * Checks {@link frameHandlersOf} on a muxer that is never used: the check would otherwise wait for the first
 * connection.
 */
export function checkMuxer(factory: StreamMuxerFactory = yamux({ enableKeepAlive: false })()): void {
  frameHandlersOf(factory.createStreamMuxer(unusedConnection()));
}

/**
 * Calls `count` for each stream that a peer opens and each ping that it sends, before the library acts on it. Streams
 * that are refused, or that end immediately, cause no event. The library limits open streams only.
 *
 * Unnecessary with a rate limit in the muxer itself. https://github.com/libp2p/js-libp2p/issues/2093 asks for one per
 * protocol, which would count streams only after their protocol was negotiated. There is no request for pings.
 */
export function countFrames(muxer: Muxer, count: () => void): Muxer {
  const handlers = frameHandlersOf(muxer);
  const incomingStream = handlers.incomingStream.bind(muxer);
  const handlePing = handlers.handlePing.bind(muxer);
  handlers.incomingStream = (id) => {
    count();
    incomingStream(id);
  };
  handlers.handlePing = (header) => {
    count();
    handlePing(header);
  };
  return muxer;
}

/** Returns the part of a connection that the constructor of a muxer uses. */
function unusedConnection(): MessageStream {
  const log: Logger = Object.assign(() => undefined, {
    enabled: false,
    error: () => undefined,
    trace: () => undefined,
    newScope: () => log,
  });
  return Object.assign(new EventTarget(), { log, direction: "inbound" }) as unknown as MessageStream;
}
