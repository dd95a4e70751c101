import { setMaxListeners } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { parseIp } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import type { RlpxConnection } from "./connection.js";
import { acceptRlpx, SOCKET_OPTIONS } from "./open-connection.js";
import type { RlpxOptions } from "./options.js";
import { PendingHandshakes } from "./pending-handshakes.js";

export interface RlpxListenerOptions extends RlpxOptions {
  /** Address to listen on. */
  host: string;
  /** Port; 0 chooses a free one. */
  port: number;
  /** Whether a connection from this normalized address may proceed; otherwise it is closed silently. */
  mayAccept(ip: string): boolean;
  /** Maximum number of handshakes in progress. A further connection replaces one, which is closed silently. */
  maximumPending?: number;
  /** Maximum number of handshakes for one host: an IPv4 address or the /64 of an IPv6 address. */
  maximumPendingPerHost?: number;
  onConnection(connection: RlpxConnection): void;
  onFailedHandshake(ip: string, error: RlpxError): void;
}

const MAXIMUM_PENDING = 64;
const MAXIMUM_PENDING_PER_HOST = 16;

/** Accepts connections of other nodes. */
export class RlpxListener {
  private readonly ending = new AbortController();
  private readonly pending: PendingHandshakes;
  private readonly server: Server;

  constructor(private readonly options: RlpxListenerOptions) {
    // Every handshake in progress listens to the signal.
    setMaxListeners(0, this.ending.signal);
    const { maximumPending = MAXIMUM_PENDING, maximumPendingPerHost = MAXIMUM_PENDING_PER_HOST } = options;
    this.pending = new PendingHandshakes({ maximum: maximumPending, perHost: maximumPendingPerHost });
    this.server = createServer(SOCKET_OPTIONS, (socket) => {
      this.accept(socket).catch((error: unknown) => {
        options.logger.error({ err: error }, "a handler of inbound connections failed");
        socket.destroy();
      });
    });
  }

  /** The listening port. */
  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : this.options.port;
  }

  /** Starts to listen. Rejects with {@link RlpxError} `LISTEN_FAILED`. */
  listen(): Promise<void> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      const onError = (error: Error) => {
        const fault = { code: "LISTEN_FAILED", address: `${host}:${port}`, reason: error.message } as const;
        reject(new RlpxError(fault, { cause: error }));
      };
      this.server.once("error", onError);
      // `::` must not take the port of IPv4, which is a separate address.
      this.server.listen({ host, port, ipv6Only: host.includes(":") }, () => {
        this.server.off("error", onError).on("error", this.onError);
        resolve();
      });
    });
  }

  /** Stops listening and ends handshakes in progress. Established connections stay open. */
  close(): void {
    this.server.close();
    this.ending.abort();
  }

  private readonly onError = (error: Error): void => {
    this.options.logger.warn({ err: error }, "failed to accept a connection");
  };

  private async accept(socket: Socket): Promise<void> {
    const ip = parseIp(socket.remoteAddress ?? "")?.text;
    if (ip === undefined || !this.options.mayAccept(ip)) {
      socket.destroy();
      return;
    }
    const handshake = this.pending.add(ip, () => socket.destroy());
    let connection: RlpxConnection;
    try {
      connection = await acceptRlpx(socket, this.options, this.ending.signal);
    } catch (error) {
      if (this.pending.remove(handshake)) this.options.onFailedHandshake(ip, error as RlpxError);
      return;
    }
    this.pending.remove(handshake);
    this.options.onConnection(connection);
  }
}

/** Listens for connections. Rejects with {@link RlpxError} `LISTEN_FAILED`. */
export async function listenRlpx(options: RlpxListenerOptions): Promise<RlpxListener> {
  const listener = new RlpxListener(options);
  await listener.listen();
  return listener;
}
