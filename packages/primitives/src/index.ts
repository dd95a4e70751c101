export * from "./address.js";
export * from "./bytes.js";
export * from "./errors.js";
export * from "./keccak.js";
export * from "./lru.js";
export * from "./rlp.js";
export * from "./secp256k1.js";
