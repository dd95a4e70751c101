import type { RpcConfig } from "./config.js";

/** The configuration of one thread, with copies of what may change, and its share of the bounds. */
export function threadConfig(config: RpcConfig): RpcConfig {
  return shareOfBounds({ ...config, auth: { ...config.auth }, rateLimit: { ...config.rateLimit } });
}

/** Bounds on bytes are shared equally by the readers and the main thread. */
function shareOfBounds(config: RpcConfig): RpcConfig {
  if (config.readers === 0) return config;
  const { connections, filters, http } = config;
  const share = (bytes: number, least = 1) => bytes && Math.max(Math.floor(bytes / (config.readers + 1)), least);
  return {
    ...config,
    connections: {
      ...connections,
      // Two of the largest bodies fit in any case.
      maxUnreadBytes: share(connections.maxUnreadBytes, 2 * http.maxBodyBytes),
      maxUnsentBytes: share(connections.maxUnsentBytes, config.maxResponseSize),
    },
    filters: { ...filters, maxBytes: share(filters.maxBytes) },
  };
}
