import { ChainError, type Reorganisation } from "@cambium/chain-store";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";

/**
 * The blocks that leave and join the best chain if `next` replaces `best` (`spec/02 §5.5`); `headerOf` reads any stored
 * header. No block leaves if `next` is a child of `best`. Throws {@link ChainError} `DATABASE_DAMAGED` if an ancestor
 * is missing.
 */
export function reorganisation(
  best: BlockHeader,
  next: BlockHeader,
  headerOf: (hash: Uint8Array) => BlockHeader | undefined,
): Reorganisation {
  const parentOf = (header: BlockHeader): BlockHeader => {
    const parent = headerOf(header.parentHash);
    if (parent === undefined) {
      throw new ChainError({ code: "DATABASE_DAMAGED", what: "header of an ancestor", key: header.parentHash });
    }
    return parent;
  };
  const removed: Uint8Array[] = [];
  const added: Uint8Array[] = [];
  let [old, fresh] = [best, next];
  while (!equalBytes(old.hash, fresh.hash)) {
    if (old.number >= fresh.number) {
      removed.push(old.hash);
      old = parentOf(old);
    } else {
      added.push(fresh.hash);
      fresh = parentOf(fresh);
    }
  }
  return { commonAncestor: old.hash, removed: removed.reverse(), added: added.reverse() };
}
