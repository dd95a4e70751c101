import type { RpcConfig } from "./config.js";

/** A request with a block of the parent chain of the largest size: 4 MB, as 8 MB of hex. */
const MINED_BLOCK_BYTES = 9 * 2 ** 20;

/**
 * The configuration of one thread, with copies of what may change, and its share of the bounds. A node that serves work
 * reads requests with whole blocks of the parent chain.
 */
export function threadConfig(config: RpcConfig, servesWork: boolean): RpcConfig {
  const own = { ...config, auth: { ...config.auth }, rateLimit: { ...config.rateLimit } };
  return shareOfBounds(servesWork ? withMinedBlocks(own) : own);
}

function withMinedBlocks(config: RpcConfig): RpcConfig {
  const { http, ws } = config;
  return {
    ...config,
    http: { ...http, maxBodyBytes: Math.max(http.maxBodyBytes, MINED_BLOCK_BYTES) },
    ws: { ...ws, maxMessageBytes: Math.max(ws.maxMessageBytes, MINED_BLOCK_BYTES) },
  };
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
