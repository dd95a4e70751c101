import { createHash, randomBytes } from "node:crypto";

/** An API key as set up by its operator. Plain data, without the secret. */
export interface ManagedKey {
  name: string;
  /** SHA-256 of the secret, in hex. */
  digest: string;
  /** Use per second; undefined: the limit of the configuration. */
  limit?: KeyLimit | undefined;
  /** Names of the methods and modules that the key may use; undefined: all that are served. */
  methods?: readonly string[] | undefined;
  /** Expiry as Unix time in seconds; undefined: never. */
  expires?: number | undefined;
  /** Creation as Unix time in seconds. */
  created: number;
}

/** Maximum number of requests, or of cost units ({@link COST_UNITS}), in a second. */
export interface KeyLimit {
  amount: number;
  of: "requests" | "units";
}

/** Changeable members of a key. */
export type KeyChanges = Partial<Pick<ManagedKey, "limit" | "methods" | "expires">>;

const SECRET_BYTES = 24;
/** Names are labels of metrics and parts of subjects; those of keys in a file have a colon. */
const NAME = /^[\w-]{1,64}$/;
const DIGEST = /^[0-9a-f]{64}$/;
/** Label of metrics for all keys without an individual label. */
const RESERVED = "other";

/** Returns a new secret: 32 letters, digits, `-` and `_`. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** SHA-256 of a secret, in hex. */
export function secretDigest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export function isKeyName(name: string): boolean {
  return NAME.test(name) && name !== RESERVED;
}

/** Parses the key in a JSON text; undefined if it is malformed. */
export function parseKey(name: string, text: string): ManagedKey | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { digest, limit, methods, expires, created } = value as Record<string, unknown>;
  const isValid =
    isKeyName(name) &&
    typeof digest === "string" &&
    DIGEST.test(digest) &&
    (limit === undefined || isLimit(limit)) &&
    (methods === undefined || (Array.isArray(methods) && methods.every((one) => typeof one === "string"))) &&
    (expires === undefined || Number.isSafeInteger(expires)) &&
    Number.isSafeInteger(created);
  return isValid ? ({ name, digest, limit, methods, expires, created } as ManagedKey) : undefined;
}

function isLimit(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { amount, of } = value as Record<string, unknown>;
  return Number.isSafeInteger(amount) && (amount as number) > 0 && (of === "requests" || of === "units");
}

/** Whether a key may use a method. */
export function mayUse({ methods }: Pick<ManagedKey, "methods">, method: { name: string; module: string }): boolean {
  return methods === undefined || methods.includes(method.name) || methods.includes(method.module);
}
