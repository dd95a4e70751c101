import { addressOfPrivateKey } from "@cambium/accounts";
import { isOwnHost, requiresKeys } from "@cambium/rpc/config";
import type { NodeOptions } from "./options.js";

/** Returns a developer's artifacts and keys. They are served on this machine only, and never to holders of API keys. */
export function developerPart({ artifacts, keys = [], rpc }: Pick<NodeOptions, "artifacts" | "keys" | "rpc">) {
  const isShown = artifacts !== undefined && isOwnHost(rpc.http.host) && !requiresKeys(rpc.auth);
  if (!isShown) return {};
  const accounts = keys.map((privateKey) => ({ address: addressOfPrivateKey(privateKey), privateKey }));
  return { developer: { artifacts, keys: accounts } };
}
