import { DEFAULT_RPC_CONFIG, type RpcConfig } from "./config.js";

/** A request with a block of the parent chain of the largest size: 4 MB, as 8 MB of hex. */
const MINED_BLOCK_BYTES = 9 * 2 ** 20;

/**
 * The configuration of one thread, with copies of what may change, and its share of the bounds. A node that serves work
 * reads requests with whole blocks of the parent chain, unless another limit than the usual one is set.
 */
export function threadConfig(config: RpcConfig, servesWork: boolean): RpcConfig {
  const own = { ...config, auth: { ...config.auth }, rateLimit: { ...config.rateLimit } };
  return shareOfBounds(servesWork ? withMinedBlocks(own) : own);
}

function withMinedBlocks(config: RpcConfig): RpcConfig {
  const { http, ws } = config;
  const { http: usualHttp, ws: usualWs } = DEFAULT_RPC_CONFIG;
  return {
    ...config,
    http: http.maxBodyBytes === usualHttp.maxBodyBytes ? { ...http, maxBodyBytes: MINED_BLOCK_BYTES } : http,
    ws: ws.maxMessageBytes === usualWs.maxMessageBytes ? { ...ws, maxMessageBytes: MINED_BLOCK_BYTES } : ws,
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
