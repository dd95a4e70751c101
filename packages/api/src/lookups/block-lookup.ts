import type { ChainReader, LocatedReceipt } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import type { StateView } from "@cambium/state";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import { echo, notExecutedHere, notStoredHere, stateNotFound } from "../errors.js";
import type { BlockSelector } from "../params/block-selector.js";

/**
 * Returns the selected block, or undefined if there is none (`spec/09 §7.5`). Throws {@link RpcError} `STATE_NOT_FOUND`
 * for a block below those that are stored.
 */
export function findBlock(chain: ChainReader, selector: BlockSelector): Block | undefined {
  switch (selector.kind) {
    case "latest":
    case "pending":
      return chain.blockByHash(chain.best().hash);
    case "earliest":
      return chain.blockByNumber(0);
    case "number":
      return chain.blockByNumber(selector.number) ?? unknown(chain, selector.number);
    case "hash":
      if (selector.requireCanonical && !chain.isOnBestChain(selector.hash)) return undefined;
      return chain.blockByHash(selector.hash);
  }
}

/** Finds a header as {@link findBlock} finds a block. The headers of dropped blocks remain stored. */
export function findHeader(chain: ChainReader, selector: BlockSelector): BlockHeader | undefined {
  switch (selector.kind) {
    case "number":
      return chain.headerByNumber(selector.number) ?? unknown(chain, selector.number);
    case "hash":
      if (selector.requireCanonical && !chain.isOnBestChain(selector.hash)) return undefined;
      return chain.headerByHash(selector.hash);
    default:
      return findBlock(chain, selector)?.header;
  }
}

/**
 * Header of the block whose state a query reads. `pending` selects the best block, since the pool is not available
 * here; a hash selects any known block, on the best chain or not (`spec/09 §5`). Throws {@link RpcError}
 * `STATE_NOT_FOUND` if there is no such block.
 */
export function requireHeader(chain: ChainReader, selector: BlockSelector): BlockHeader {
  switch (selector.kind) {
    case "latest":
    case "pending":
      return chain.best().header;
    case "earliest":
      return chain.genesis;
    case "number": {
      const header = chain.headerByNumber(selector.number) ?? unknown(chain, selector.number);
      if (header === undefined) throw stateNotFound(`Block ${echo(selector.text)} not found`);
      return header;
    }
    case "hash": {
      const header = chain.headerByHash(selector.hash);
      if (header === undefined) throw stateNotFound(`Block with hash ${selector.text} not found`);
      if (selector.requireCanonical && !chain.isOnBestChain(selector.hash)) {
        throw stateNotFound(`Block with hash ${selector.text} is not canonical and it is required`);
      }
      return header;
    }
  }
}

/**
 * Returns undefined if there is no such block. Throws {@link RpcError} `STATE_NOT_FOUND` if it exists but is not
 * stored.
 */
function unknown(chain: ChainReader, number: number): undefined {
  const oldest = chain.earliestBlock();
  if (number < oldest) throw notStoredHere(number, oldest);
}

/** State after the selected block. Throws {@link RpcError} `STATE_NOT_FOUND` if it is not stored. */
export function requireState(chain: ChainReader, selector: BlockSelector): StateView {
  const header = requireHeader(chain, selector);
  const state = chain.stateAfter(header.hash);
  if (state === undefined) throw stateNotFound(`State not found for block with hash ${hashText(selector, header)}`);
  return state;
}

function hashText(selector: BlockSelector, header: BlockHeader): string {
  return selector.kind === "hash" ? selector.text : toData(header.hash);
}

/**
 * Receipt of a transaction of a known block. Throws {@link RpcError} `STATE_NOT_FOUND` if the block came with a
 * snapshot.
 */
export function requireReceipt(chain: ChainReader, hash: Uint8Array, index: number): LocatedReceipt {
  const located = chain.receipt(hash, index);
  if (located === undefined) throw notExecutedHere(chain.snapshotBlock());
  return located;
}

/** Receipts of a known block. Throws {@link RpcError} `STATE_NOT_FOUND` if the block came with a snapshot. */
export function requireReceipts(chain: ChainReader, hash: Uint8Array): readonly Receipt[] {
  const receipts = chain.receipts(hash);
  if (receipts === undefined) throw notExecutedHere(chain.snapshotBlock());
  return receipts;
}
