import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { concatBytes, equalBytes, keccak256, replaceFile, toHex, utf8 } from "@cambium/primitives";

const CHECKSUM_BYTES = 8;
/** Maximum number of files per fork; further answers are not kept. */
const MAX_FILES = 500_000;

/**
 * Answers of an endpoint about one block and its ancestors, on disk. Each answer is a file that appears atomically, so
 * any number of threads and processes can share the folder. An unreadable or damaged file counts as absent.
 */
export class ForkCache {
  private written = 0;

  /** `folder` is that of the fork; undefined: no answers are kept. */
  constructor(private readonly folder: string | undefined) {}

  get(name: string): Uint8Array | undefined {
    if (this.folder === undefined) return undefined;
    try {
      const stored = readFileSync(this.path(name));
      const value = new Uint8Array(stored.subarray(CHECKSUM_BYTES));
      return equalBytes(checksum(name, value), stored.subarray(0, CHECKSUM_BYTES)) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  set(name: string, value: Uint8Array): void {
    if (this.folder === undefined || ++this.written > MAX_FILES) return;
    const path = this.path(name);
    const partial = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      replaceFile(path, concatBytes(checksum(name, value), value), { partial, mode: 0o600 });
    } catch {
      // A failed write costs only a repeated request.
    }
  }

  private path(name: string): string {
    const hash = toHex(keccak256(utf8(name)).subarray(0, 16));
    return join(this.folder!, hash.slice(0, 2), hash.slice(2));
  }
}

/** Checksum of a value and its name, because different names could share a file. */
function checksum(name: string, value: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat([utf8(name), Uint8Array.of(0), value])).subarray(0, CHECKSUM_BYTES);
}
