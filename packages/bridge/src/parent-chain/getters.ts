import { type AbiArgument, type AbiText, EMPTY_BYTES, toHex } from "@cambium/primitives";
import { type Implementations, toInt32 } from "../abi/implementation.js";
import type { StoredParentBlock } from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import type { BridgeSession } from "../session.js";
import { processedHeight } from "../storage/processed.js";
import { lowestBlock } from "./block-store.js";
import { coinbaseInformationCell, confirmations } from "./confirmations.js";
import { parentBlockHash } from "./header-hash.js";

/** Header of the block that `find` returns, empty if it is missing or the cell cannot be a block. */
function headerOf(find: () => StoredParentBlock | undefined | "error"): Uint8Array {
  try {
    const block = find();
    return block === undefined || block === "error" ? EMPTY_BYTES : block.header;
  } catch (error) {
    if (error instanceof BridgeError) return EMPTY_BYTES;
    throw error;
  }
}

function initialHeight({ network, activeFederation }: BridgeSession): number {
  return lowestBlock(network, activeFederation).height;
}

function hashAtDepth(session: BridgeSession, depth: number): Uint8Array {
  const { blocks } = session;
  const maximum = blocks.head().height - initialHeight(session);
  if (depth < 0 || depth > maximum) session.fail("getBtcBlockchainBlockHashAtDepth", "depth out of range");
  const block = blocks.atDepth(depth);
  if (block === undefined || block === "error") {
    return session.fail("getBtcBlockchainBlockHashAtDepth", "block not stored");
  }
  return parentBlockHash(block.header);
}

/** A transaction hash as text. Fails unless it has 64 lower-case hex digits. */
function transactionHash(session: BridgeSession, method: string, argument: AbiArgument): string {
  const text = (argument as AbiText).toString();
  return /^[0-9a-f]{64}$/.test(text) ? text : session.fail(method, "not a transaction hash");
}

/**
 * Hashes of blocks at increasing distances below the head, ending with the lowest one (until RSKIP-89). The lowest one
 * is included whether or not it is stored.
 */
function blockLocator({ network, activeFederation, blocks }: BridgeSession): string[] {
  const lowest = lowestBlock(network, activeFederation);
  let block: StoredParentBlock | undefined = blocks.head();
  const head = block.height;
  const hashes = [block];
  for (let distance = 1; head - distance > lowest.height; distance *= 2) {
    block = blocks.ancestor(block, block.height - (head - distance));
    if (block === undefined)
      throw new BridgeError({
        code: "METHOD_FAILED",
        method: "getBtcBlockchainBlockLocator",
        reason: "a block is not stored",
      });
    hashes.push(block);
  }
  if (head > lowest.height) hashes.push(lowest);
  return hashes.map(({ header }) => toHex(parentBlockHash(header)));
}

/** Public getters of the parent chain: `spec/06b-1 §3.7`, `§3.8`, `§4.1`. */
export const parentChainGetters: Implementations = {
  "getBtcBlockchainBestChainHeight()": ({ blocks }) => BigInt(blocks.head().height),
  "getBtcBlockchainInitialBlockHeight()": (session) => BigInt(initialHeight(session)),
  "getBtcBlockchainBlockLocator()": blockLocator,
  "getBtcBlockchainBlockHashAtDepth(int256)": (session, [depth]) => hashAtDepth(session, toInt32(depth!)),
  "getBtcBlockchainBestBlockHeader()": ({ blocks }) => blocks.head().header,
  "getBtcBlockchainBlockHeaderByHash(bytes32)": ({ blocks }, [hash]) => headerOf(() => blocks.get(hash as Uint8Array)),
  "getBtcBlockchainBlockHeaderByHeight(uint256)": ({ blocks }, [height]) =>
    headerOf(() => blocks.atHeight(toInt32(height!))),
  "getBtcBlockchainParentBlockHeaderByHash(bytes32)": ({ blocks }, [hash]) =>
    headerOf(() => {
      const block = blocks.get(hash as Uint8Array);
      return block === undefined ? undefined : blocks.parentOf(block);
    }),
  "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])": confirmations,

  "isBtcTxHashAlreadyProcessed(string)": (session, [text]) =>
    processedHeight(session, transactionHash(session, "isBtcTxHashAlreadyProcessed", text!)) !== undefined,
  "getBtcTxHashProcessedHeight(string)": (session, [text]) =>
    processedHeight(session, transactionHash(session, "getBtcTxHashProcessedHeight", text!)) ?? -1n,
  "hasBtcBlockCoinbaseTransactionInformation(bytes32)": ({ storage }, [hash]) =>
    storage.read(coinbaseInformationCell(hash as Uint8Array)) !== undefined,
};
