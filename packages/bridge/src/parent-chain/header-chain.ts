import { equalBytes } from "@cambium/primitives";
import type { ParentChainParameters, StoredParentBlock } from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import type { ParentBlockStore } from "./block-store.js";
import { parentBlockHash, previousHash } from "./header-hash.js";
import { checkDifficulty, checkProofOfWork, workOf } from "./header-rules.js";

/**
 * Adds an 80-byte header to the store: `spec/06b-1 §3.3`. A known header, or one with an unknown parent, changes
 * nothing. Throws {@link BridgeError} `PARENT_HEADER` with the store unchanged if the header is invalid.
 */
export function addHeader(header: Uint8Array, store: ParentBlockStore, parameters: ParentChainParameters): void {
  if (store.get(parentBlockHash(header)) !== undefined) return;
  checkProofOfWork(header, parameters);
  const parent = store.get(previousHash(header));
  if (parent === undefined) return;
  checkDifficulty(parent, header, store, parameters);
  const work = parent.work + workOf(header, parameters);
  connect({ work, height: parent.height + 1, header: header.slice() }, parent, store);
}

function connect(block: StoredParentBlock, parent: StoredParentBlock, store: ParentBlockStore): void {
  const head = store.head();
  if (isSameBlock(parent, head)) {
    store.put(block);
    store.setHead(block);
    return;
  }
  // The fork point is searched even if the new branch has less work, because a branch without one is rejected.
  const branch = branchDownToSplit(block, head, store);
  if (block.work > head.work) for (const member of branch) store.setIndex(member);
  store.put(block);
  if (block.work > head.work) store.setHead(block);
}

/** Returns the blocks of the new branch, from `block` down to the last one outside the head's chain. */
function branchDownToSplit(
  block: StoredParentBlock,
  head: StoredParentBlock,
  store: ParentBlockStore,
): StoredParentBlock[] {
  const branch: StoredParentBlock[] = [];
  let ours = block;
  let theirs = head;
  while (!isSameBlock(ours, theirs)) {
    if (theirs.height > ours.height) {
      theirs = requireParent(theirs, store);
    } else {
      branch.push(ours);
      ours = requireParent(ours, store);
    }
  }
  return branch;
}

function requireParent(block: StoredParentBlock, store: ParentBlockStore): StoredParentBlock {
  const parent = store.parentOf(block);
  if (parent === undefined) throw new BridgeError({ code: "PARENT_HEADER", reason: "branch leads out of the store" });
  return parent;
}

export function isSameBlock(a: StoredParentBlock, b: StoredParentBlock): boolean {
  return a.work === b.work && a.height === b.height && equalBytes(a.header, b.header);
}
