import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import type { ConnectionTable } from "../connections/connection-table.js";
import { Exchange } from "../connections/exchange.js";
import { RpcError } from "../errors.js";
import { nextTurn } from "../limits.js";
import { readContent } from "./body-decoding.js";
import { createLimitedServer, type TimeLimits } from "./limited-server.js";

export interface ListeningAddress {
  host: string;
  port: number;
}

/** Sizes in bytes, times in milliseconds. */
export interface ListenerOptions extends TimeLimits {
  host: string;
  port: number;
  maxBodyBytes: number;
}

declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/**
 * Connections that wait to be accepted: about as many as are served. The system drops those beyond, whose clients try again
 * after a second; in a longer queue they would wait behind those that have given up.
 */
const BACKLOG = 1_024;

/** Requests that a client may send before it has received their responses. */
const MAX_PIPELINED = 8;

/** Longer bodies are decoded in turns of the event loop of their own. */
const LARGE_BODY = 65_536;

/** Creates an application without routes that reads any body as text, within the limits of a table. */
export function createApp(options: ListenerOptions, table: ConnectionTable): FastifyInstance {
  const app = fastify({
    // fastify creates two servers if `localhost` has two addresses.
    serverFactory: (listener) => createLimitedServer(options, table, listener),
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
  });
  app.addHook("onRequest", (request, reply, next) => {
    const connection = table.get(request.raw.socket);
    if (connection === undefined) {
      // Not accepted, or closed to make room for another one.
      request.raw.socket.destroy();
      return;
    }
    request.exchange = new Exchange(connection, reply.raw);
    if (request.exchange.requests <= MAX_PIPELINED) next();
    else reply.code(503).header("connection", "close").send();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async ({ exchange }: FastifyRequest, payload: IncomingMessage) => {
    const body = await readContent(payload, exchange, options.maxBodyBytes).catch(async (error) => {
      await exchange.refuse();
      throw error;
    });
    if (body.length > LARGE_BODY) await nextTurn();
    // No text is what is not JSON.
    return isUtf8(body) ? body.toString() : "";
  });
  return app;
}

/** Starts listening. Rejects with {@link RpcError} `LISTEN_FAILED` if the address cannot be bound. */
export async function listen(app: FastifyInstance, { host, port }: ListenerOptions): Promise<ListeningAddress> {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    throw new RpcError({ code: "LISTEN_FAILED", host, port, reason: (error as Error).message }, { cause: error });
  }
  const address = app.server.address() as AddressInfo;
  return { host: address.address, port: address.port };
}
