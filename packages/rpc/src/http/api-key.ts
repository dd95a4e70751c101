import { createHash, timingSafeEqual } from "node:crypto";

/** The check of the last path segment (`spec/09 §1.2`), in time that does not depend on the keys. No keys: all pass. */
export function createKeyCheck(keys: readonly string[]): (url: string) => boolean {
  const digests = keys.map(digest);
  return (url) => {
    if (digests.length === 0) return true;
    const given = digest(keyOf(url));
    // every key is compared, so that the time does not tell which one matched
    return digests.map((key) => timingSafeEqual(key, given)).includes(true);
  };
}

/** Stands for the key of a request target that was accepted; does not tell the key. */
export function keyIdentity(url: string): string {
  return digest(keyOf(url)).toString("hex").slice(0, 32);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Whole path of a request target, without the leading slash; a path that does not decode is taken as it is. */
function keyOf(url: string): string {
  const path = url.split("?", 1)[0]!.slice(1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
