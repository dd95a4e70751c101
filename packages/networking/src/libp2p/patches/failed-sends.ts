import type { MessageStream } from "@libp2p/interface";

/**
 * Makes `send` of a connection that has just ended return false instead of throwing. The muxer opens streams in a
 * microtask and continues sending in event listeners. An error there is not caught and ends the process. Data sent then
 * is lost anyway, and the connection's own event reports its end.
 *
 * `send` is a public member, so no check is needed. Unnecessary with a fix of
 * https://github.com/libp2p/js-libp2p/issues/3415 that covers `YamuxMuxer.onCreateStream` as well.
 */
export function ignoreFailedSends(connection: MessageStream): MessageStream {
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
