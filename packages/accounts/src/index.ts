export { developmentKeys } from "./development-keys.js";
export { AccountsError } from "./errors.js";
export { DEFAULT_UNLOCK_TIME, KeyStore } from "./key-store.js";
export { type DerivedKey, mnemonicKeys } from "./mnemonic.js";
export { addressOfPrivateKey } from "./private-key.js";
