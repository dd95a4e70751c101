import type { Redis } from "ioredis";
import { RpcServerError } from "./errors.js";

const COMMAND_TIMEOUT_MILLISECONDS = 500;

/**
 * Opens a client of a Redis server. Its commands fail immediately while the server is unreachable, so that no request
 * waits. Loads the optional package; rejects with {@link RpcServerError} `INVALID_CONFIGURATION` if it is not
 * installed.
 */
export async function openRedis(url: string, option: string, onError: (error: Error) => void): Promise<Redis> {
  const { Redis } = await import("ioredis").catch((error: Error) => {
    const reason = `cannot load the package ioredis: ${error.message}`;
    throw new RpcServerError({ code: "INVALID_CONFIGURATION", option, reason }, { cause: error });
  });
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MILLISECONDS,
    lazyConnect: true,
  });
  const report = (error: Error & { command?: unknown }) => {
    // The failed command may contain the password.
    error.command = undefined;
    onError(error);
  };
  client.on("error", report);
  await client.connect().catch(report);
  return client;
}
