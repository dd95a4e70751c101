import type { AddressInfo } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { RpcError } from "../errors.js";

export interface ListeningAddress {
  host: string;
  port: number;
}

/** Sizes in bytes, times in milliseconds. */
export interface ListenerOptions {
  host: string;
  port: number;
  maxBodyBytes: number;
  maxConnections: number;
  keepAliveTimeout: number;
  receiveTimeout: number;
}

/** Creates an application without routes that reads any body as text. */
export function createApp(options: ListenerOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: options.maxBodyBytes,
    keepAliveTimeout: options.keepAliveTimeout,
    requestTimeout: options.receiveTimeout,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    // Requests without a Host header are served (`spec/09 §1.3`).
    http: { requireHostHeader: false },
  });
  app.server.maxConnections = options.maxConnections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  return app;
}

/** Starts listening. Rejects with {@link RpcError} `LISTEN_FAILED` if the address cannot be bound. */
export async function listen(app: FastifyInstance, { host, port }: ListenerOptions): Promise<ListeningAddress> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new RpcError({ code: "LISTEN_FAILED", host, port, reason: (error as Error).message }, { cause: error });
  }
  const address = app.server.address() as AddressInfo;
  return { host: address.address, port: address.port };
}
