import { createHash, timingSafeEqual } from "node:crypto";
import type { RpcConfig } from "../config.js";

/** Creates the constant-time check of the key in the path (`spec/09 §1.2`) against the present keys. Without keys, every request passes. */
export function createKeyCheck(auth: RpcConfig["auth"]): (url: string) => boolean {
  let { keys } = auth;
  let digests = keys.map(digest);
  return (url) => {
    if (auth.keys !== keys) {
      keys = auth.keys;
      digests = keys.map(digest);
    }
    if (digests.length === 0) return true;
    const given = digest(keyOf(url));
    // Compares with every key, so that the time does not reveal which one matched.
    return digests.map((key) => timingSafeEqual(key, given)).includes(true);
  };
}

/** Identifies the API key of an accepted request without revealing it. */
export function keyIdentity(url: string): string {
  return digest(keyOf(url)).toString("hex").slice(0, 32);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Last segment of the path (00, Authentication, 1); one that cannot be decoded is used as received. */
function keyOf(url: string): string {
  const path = url.split("?", 1)[0]!;
  const segment = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
