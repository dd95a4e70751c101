import { DEFAULT_RPC_CONFIG, type RpcConfig } from "./config.js";

/** Size in bytes of a request with a parent-chain block of maximum size: 4 MB, as 8 MB of hex. */
const MINED_BLOCK_BYTES = 9 * 2 ** 20;

/**
 * Returns the configuration of one thread, with copies of changeable settings, and its share of the limits. A node that
 * serves work reads requests with whole parent-chain blocks, unless a limit other than the default is set.
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

/** Divides limits on bytes equally between the readers and the main thread. */
function shareOfBounds(config: RpcConfig): RpcConfig {
  if (config.readers === 0) return config;
  const { connections, filters, http } = config;
  const share = (bytes: number, least = 1) => bytes && Math.max(Math.floor(bytes / (config.readers + 1)), least);
  return {
    ...config,
    connections: {
      ...connections,
      // Room for at least two of the largest bodies.
      maxUnreadBytes: share(connections.maxUnreadBytes, 2 * http.maxBodyBytes),
      maxUnsentBytes: share(connections.maxUnsentBytes, config.maxResponseSize),
    },
    filters: { ...filters, maxBytes: share(filters.maxBytes) },
  };
}
