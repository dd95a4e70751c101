import { CambiumError, decodeRlpList, LruCache, toHex } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import type { SyncChain } from "../interface.js";

/** Blocks remembered; events come soon after the import, however many imports wait in line. */
const MAX_REMEMBERED = 8192;

/** A chain that can tell which blocks were imported through it. */
export type TrackedChain = SyncChain & {
  /** Whether the block was lately offered through this chain: by a peer. Others were made here. */
  cameFromPeers(hash: Uint8Array): boolean;
};

/**
 * The same chain for everything that has its blocks from peers (synchronisation and gossip), so that a new block that did
 * not come in this way is known to have been mined here: only such a block is handed to peers whole.
 */
export function trackImports<T extends SyncChain>(chain: T): T & TrackedChain {
  const offered = new LruCache<string, true>(MAX_REMEMBERED);
  const own = {
    import(encoded: Uint8Array) {
      const hash = hashOf(encoded, chain);
      if (hash !== undefined) offered.set(hash, true);
      return chain.import(encoded);
    },
    cameFromPeers: (hash: Uint8Array) => offered.has(toHex(hash)),
  };
  return new Proxy(chain, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? bound(target, key, value) : value;
    },
  }) as T & TrackedChain;
}

const bindings = new WeakMap<object, Map<PropertyKey, unknown>>();

/** The target's method, bound once: the chain's readers are asked often. */
function bound(target: object, key: PropertyKey, method: CallableFunction): unknown {
  const methods = bindings.get(target) ?? new Map<PropertyKey, unknown>();
  bindings.set(target, methods);
  if (!methods.has(key)) methods.set(key, method.bind(target));
  return methods.get(key);
}

function hashOf(encoded: Uint8Array, { network }: SyncChain): string | undefined {
  try {
    const header = decodeRlpList(encoded)[0];
    return header && toHex(BlockHeader.decode(header, network).hash);
  } catch (error) {
    if (error instanceof CambiumError) return undefined;
    throw error;
  }
}
