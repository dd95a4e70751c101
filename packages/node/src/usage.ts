import { connectionOptions, connectTo, UsagePublisher } from "@cambium/replication";
import type { RpcServer } from "@cambium/rpc";
import type { Logger } from "pino";
import type { UsageOptions } from "./options.js";
import type { Parts } from "./parts.js";

/**
 * Publishes the usage of API keys to a JetStream stream until the parts are stopped. Throws `ReplicationError`
 * `SERVER_ADDRESS`.
 */
export function publishUsage(options: UsageOptions, rpc: Pick<RpcServer, "usage">, parts: Parts, logger: Logger): void {
  const { interval, ...address } = options;
  connectionOptions(address);
  const stopped = new AbortController();
  let connection: Awaited<ReturnType<typeof connectTo>>;
  const opening = connectTo(address, logger, stopped.signal).then((opened) => {
    connection = opened;
  });
  const publisher = new UsagePublisher({
    address,
    connection: () => connection,
    source: rpc.usage(),
    interval,
    logger,
  });
  parts.add(async () => {
    await publisher.close();
    stopped.abort();
    await opening;
    await connection?.close();
  });
}
