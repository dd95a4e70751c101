import { join } from "node:path";
import { developmentKeys, KeyStore } from "@cambium/accounts";
import { LOCAL_MINER_SECRET } from "@cambium/miner";
import type { Logger } from "pino";
import { isForDevelopment, isLocal } from "./networks.js";
import type { NodeOptions } from "./options.js";

/**
 * The keys the node holds (`spec/09 §13.3`): none where the wallet is off or the endpoint is shared by holders of API
 * keys; on networks for development also those that everybody knows.
 */
export function openAccounts({ network, dataDir, wallet, rpc }: NodeOptions, logger: Logger): KeyStore | undefined {
  if (!wallet || rpc.auth.keys.length > 0) return undefined;
  const store = new KeyStore({ folder: join(dataDir, "keystore") });
  for (const { path, reason } of store.unreadable) logger.warn({ path, reason }, "Key file left out");
  if (isForDevelopment(network)) for (const { seed } of developmentKeys()) store.addSeed(seed);
  if (isLocal(network)) store.addSeed(LOCAL_MINER_SECRET);
  return store;
}
