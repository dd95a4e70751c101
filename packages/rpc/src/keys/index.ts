export { RpcServerError } from "../errors.js";
export type { DailyUsage } from "../usage/usage-totals.js";
export { KeyStore } from "./key-store.js";
export { isKeyName, type KeyChanges, type ManagedKey, newSecret, secretDigest } from "./managed-key.js";
