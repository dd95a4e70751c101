export {
  type AbiArgument,
  AbiArray,
  AbiError,
  type AbiFunction,
  AbiText,
  type AbiType,
  type AbiValue,
  abiFunction,
  abiType,
  decodeArguments,
  encodeValues,
  readArguments,
} from "./abi.js";
export { contractAddress, contractAddress2, publicKeyToAddress, toChecksumAddress } from "./address.js";
export { append } from "./append.js";
export { decodeBase58Check, encodeBase58Check } from "./base58.js";
export { allocateBytes, BytePool } from "./byte-pool.js";
export {
  bigintToBytes,
  bigintToFixedBytes,
  bigintToTwosComplement,
  bytesToBigint,
  bytesToNumber,
  compareBytes,
  concatBytes,
  copyBytes,
  EMPTY_BYTES,
  equalBytes,
  fromHex,
  fromQuantity,
  joinBytes,
  lastIndexOfBytes,
  leftPad,
  numberToBytes,
  PrimitivesError,
  plainBytes,
  reverseBytes,
  stripLeadingZeros,
  toData,
  toHex,
  toQuantity,
  twosComplementToBigint,
  utf8,
} from "./bytes.js";
export { type Clock, platformClock, steadyTime, type Timers } from "./clock.js";
export { hash160 } from "./crypto/hash160.js";
export {
  createKeccak,
  EMPTY_KECCAK,
  EMPTY_TRIE_ROOT,
  fastKeccak,
  KECCAK_INPUT,
  type KeccakState,
  keccak256,
  keccak256OfInput,
  keccak256View,
  portableKeccak,
} from "./crypto/keccak.js";
export { compressPublicKey, decodePoint } from "./crypto/public-key.js";
export {
  fastSecp256k1,
  isPrivateKey,
  portableSecp256k1,
  recoverAddress,
  SECP256K1_N,
  SECP256K1_P,
  secp256k1,
  signHash,
} from "./crypto/secp256k1.js";
export { CambiumError, messageOf } from "./errors.js";
export {
  authority,
  hostOfIp,
  type Ip,
  isLoopback,
  isPublicIp,
  isUnspecified,
  networkOfIp,
  parseIp,
  subnetOfIp,
} from "./ip.js";
export { isJsonObject, parseJson } from "./json.js";
export { LimitedLines } from "./limited-lines.js";
export type { Logger } from "./logger.js";
export { LruCache } from "./lru.js";
export { measuredCache } from "./measurements/measured-cache.js";
export {
  type Counter,
  counter,
  DURATIONS,
  forEach,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
  type MeasurementFamily,
  measurementFamilies,
} from "./measurements/measurements.js";
export { measureThread } from "./measurements/thread-measurements.js";
export { observeGarbageCollection } from "./measurements/thread-sections.js";
export { pause } from "./pause.js";
export { processorClock } from "./processor-time.js";
export { recentKeccak256 } from "./recent-hashes.js";
export { replaceFile } from "./replace-file.js";
export { decodeRlpItem, decodeRlpList, encodeRlp, RawRlp, RlpError, type RlpInput, RlpItem } from "./rlp.js";
export { fetchFailure, shownPath, shownUrl } from "./shown-url.js";
export { StrictRlp } from "./strict-rlp.js";
export { isOutOfMemory, ThreadClient, ThreadError } from "./threads/thread-client.js";
export { threadEntry } from "./threads/thread-entry.js";
export { type PlainError, plainError, revivedError } from "./threads/thread-messages.js";
export { serveThread, type ThreadEvents, type ThreadService } from "./threads/thread-server.js";
export { TokenBucket, type TokenRate } from "./token-bucket.js";
export * as wasm from "./wasm-encoding.js";
