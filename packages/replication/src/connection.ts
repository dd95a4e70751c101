import { type Logger, pause, shownUrl } from "@cambium/primitives";
import {
  connect,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type NodeConnectionOptions,
  type Subscription,
} from "@nats-io/transport-node";
import { ReplicationError } from "./errors.js";

/** Milliseconds between attempts to connect, until an attempt fails, and between pings. */
const RECONNECT_WAIT = 500;
const CONNECT_TIMEOUT = 5_000;
const PING_INTERVAL = 5_000;

/** A NATS cluster and a stream in it. */
export interface StreamAddress {
  /**
   * `nats://` or `tls://` addresses of servers of one cluster, which may carry the same `user:password@` or `token@`.
   */
  servers: readonly string[];
  /** Name of the stream, also the first part of its subjects. */
  stream: string;
}

/** Subject of the batches of a stream. */
export function batchSubject({ stream }: StreamAddress): string {
  return `${stream}.batches`;
}

/** Subject of requests to the writer of a stream. */
export function requestSubject({ stream }: StreamAddress): string {
  return `${stream}.requests`;
}

/** Subjects of changes of the writer's transaction pool, and of requests for all of it. */
export function poolSubject({ stream }: StreamAddress): string {
  return `${stream}.pool`;
}
export function poolSnapshotSubject({ stream }: StreamAddress): string {
  return `${stream}.pool-snapshot`;
}

/** Returns the options of a connection. Throws {@link ReplicationError} `SERVER_ADDRESS`. */
export function connectionOptions({ servers }: StreamAddress): NodeConnectionOptions {
  const urls = servers.map(serverUrl);
  const [{ username, password } = { username: "", password: "" }] = urls;
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: urls.map(({ host, port }) => (port === "" ? `${host}:4222` : host)),
    ...(user === "" ? {} : pass === "" ? { token: user } : { user, pass }),
    ...(urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT,
    timeout: CONNECT_TIMEOUT,
    pingInterval: PING_INTERVAL,
  };
}

function serverUrl(address: string): URL {
  const refuse = (reason: string) =>
    new ReplicationError({ code: "SERVER_ADDRESS", address: shownUrl(address), reason });
  if (!URL.canParse(address)) throw refuse("it is not a URL");
  const url = new URL(address);
  if (url.protocol !== "nats:" && url.protocol !== "tls:") throw refuse("expected nats:// or tls://");
  if (url.hostname === "" || !["", "/"].includes(url.pathname)) throw refuse("expected nats://host:port");
  return url;
}

/**
 * Connects, without a time limit; the connection restores itself. Resolves to undefined if the signal aborts first.
 * Rejects with {@link ReplicationError} `SERVER_ADDRESS`.
 */
export async function connectTo(
  address: StreamAddress,
  logger: Logger,
  signal: AbortSignal,
): Promise<NatsConnection | undefined> {
  const options = connectionOptions(address);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return await connect(options);
    } catch (error) {
      const reason = { servers: options.servers, reason: (error as Error).message };
      if (isFirst) logger.warn(reason, "Cannot connect to NATS, trying again until it answers");
    }
    await pause(RECONNECT_WAIT, signal);
  }
  return undefined;
}

/**
 * Subscribes to a subject. Errors of `receive`, and of a refused subscription, are passed to `failed`. Otherwise an
 * exception in a callback would end the client library's reading of the connection.
 */
export function listen(
  connection: NatsConnection,
  subject: string,
  receive: (message: Msg) => void,
  failed: (error: Error) => void = () => undefined,
): Subscription {
  return connection.subscribe(subject, {
    callback: (error, message) => {
      try {
        if (error !== null) throw error;
        receive(message);
      } catch (cause) {
        failed(cause as Error);
      }
    },
  });
}

/** Returns the headers that `read` takes from a message, or undefined if the client library cannot decode them. */
export function headersOf(read: () => MsgHdrs | undefined): MsgHdrs | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
