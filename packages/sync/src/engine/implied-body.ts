import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { BlockBody } from "@cambium/networking";
import { encodeRlp, equalBytes } from "@cambium/primitives";
import { type BlockHeader, EMPTY_UNCLES_HASH, rawTransactionsRoot, rewardTransaction } from "@cambium/types";

const NO_UNCLES = encodeRlp([]);

/**
 * Returns the body of a block that contains only the reward transaction: it follows from the header, so it need not be
 * requested. Returns undefined for other blocks, and for headers whose body has an extension (RSKIP-351).
 */
export function impliedBody(header: BlockHeader, network: NetworkConfig): BlockBody | undefined {
  const { hash, number, version, unclesHash, transactionsRoot } = header;
  if (version !== 0 || !equalBytes(unclesHash, EMPTY_UNCLES_HASH)) return undefined;
  const transactions = [rewardTransaction(number).encoded];
  const root = rawTransactionsRoot(transactions, rulesAt(network, number));
  return equalBytes(root, transactionsRoot)
    ? { hash, transactions, uncles: NO_UNCLES, extension: undefined }
    : undefined;
}
