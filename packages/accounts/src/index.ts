export { type DevelopmentKey, developmentKeys } from "./development-keys.js";
export { AccountsError } from "./errors.js";
export { type ScryptCost, STANDARD_COST } from "./key-derivation.js";
export { decryptKey, type EncryptedKey, encryptKey, readKeyFile, writeKeyFile } from "./key-file.js";
export type { UnreadableKey } from "./key-folder.js";
export { DEFAULT_UNLOCK_TIME, KeyStore, type KeyStoreOptions } from "./key-store.js";
export { addressOfPrivateKey, checkedPrivateKey, privateKeyOfSeed } from "./private-key.js";
