import { createHash, timingSafeEqual } from "node:crypto";
import type { RpcConfig } from "../config.js";
import type { ManagedKey } from "../keys/managed-key.js";

type Auth = RpcConfig["auth"];

/** The API key of an accepted request. */
export interface AcceptedKey {
  /** Identifier that does not reveal the key. */
  identity: string;
  /** The managed key; undefined for a key of the configuration. */
  managed: ManagedKey | undefined;
}

/** Finds the key in the path of a request among the present ones (`spec/09 §1.2`); undefined if there is no match. */
export type KeyLookup = (url: string) => AcceptedKey | undefined;

const lookups = new WeakMap<Auth, KeyLookup>();

/** Returns a look-up among the present keys of a configuration. */
export function keyLookup(auth: Auth): KeyLookup {
  let lookup = lookups.get(auth);
  if (lookup === undefined) {
    lookup = createLookup(auth);
    lookups.set(auth, lookup);
  }
  return lookup;
}

function createLookup(auth: Auth): KeyLookup {
  let { keys, managed } = auth;
  let digests = keys.map(digest);
  let byDigest = byTheirDigests(managed);
  return (url) => {
    if (auth.keys !== keys) {
      keys = auth.keys;
      digests = keys.map(digest);
    }
    if (auth.managed !== managed) {
      managed = auth.managed;
      byDigest = byTheirDigests(managed);
    }
    const given = digest(keyOf(url));
    const hex = given.toString("hex");
    const identity = hex.slice(0, 32);
    // Compares with every key, so that the time does not reveal which one matched.
    if (digests.map((key) => timingSafeEqual(key, given)).includes(true)) return { identity, managed: undefined };
    // The time of a look-up depends on the digest only, which reveals nothing about a secret.
    const found = byDigest.get(hex);
    return found && { identity, managed: found };
  };
}

function byTheirDigests(keys: readonly ManagedKey[] = []): ReadonlyMap<string, ManagedKey> {
  return new Map(keys.map((key) => [key.digest, key]));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Returns the last segment of the path (`spec/09 §1.2`); one that cannot be decoded is used as received. */
function keyOf(url: string): string {
  const path = url.split("?", 1)[0]!;
  const segment = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
