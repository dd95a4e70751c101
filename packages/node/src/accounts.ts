import { join } from "node:path";
import { developmentKeys, KeyStore } from "@cambium/accounts";
import { isForDevelopment, isLocal } from "@cambium/config";
import { LOCAL_MINER_SECRET } from "@cambium/miner";
import { requiresKeys } from "@cambium/rpc/config";
import type { Logger } from "pino";
import type { NodeOptions } from "./options.js";

/**
 * The node's key store (`spec/09 §13.3`), with the well-known keys on development networks; undefined if the wallet is
 * disabled or JSON-RPC requires API keys, whose holders would share the accounts.
 */
export function openAccounts(
  { network, dataDir, wallet, rpc, keys }: Pick<NodeOptions, "network" | "dataDir" | "wallet" | "rpc" | "keys">,
  logger: Logger,
): KeyStore | undefined {
  if (!wallet || requiresKeys(rpc.auth)) return undefined;
  const store = new KeyStore({ folder: join(dataDir, "keystore") });
  for (const { path, reason } of store.unreadable) logger.warn({ path, reason }, "Ignoring an unreadable key file");
  for (const key of keys ?? []) store.addKey(key);
  if (keys !== undefined) return store;
  if (isForDevelopment(network)) for (const { seed } of developmentKeys()) store.addSeed(seed);
  if (isLocal(network)) store.addSeed(LOCAL_MINER_SECRET);
  return store;
}
