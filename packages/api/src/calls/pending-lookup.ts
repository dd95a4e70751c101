import type { ChainReader } from "@cambium/chain";
import type { Block } from "@cambium/types";
import { servesPending } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { pendingUnsupported } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { findBlock } from "../lookups/block-lookup.js";
import { withoutReward } from "../lookups/shown-chain.js";
import type { BlockSelector } from "../params/block-selector.js";
import type { PendingBlock } from "../sources/node.js";
import { pendingRead } from "./pending-reads.js";

/** The parts of a look-up that may be for the pending block. */
interface LookupParts {
  chain: ChainReader;
  config: ApiConfig;
  pendingBlock?: () => Promise<PendingBlock>;
}

/**
 * Returns the selected block, or undefined if there is none. `pending` is the block that would be mined next, or the
 * best one on a node without pending blocks. Rejects with {@link RpcError} `PENDING_UNSUPPORTED` where it is not served
 * (`spec/09 §5.1`).
 */
export async function lookUpBlock(
  parts: LookupParts,
  selector: BlockSelector,
  deadline: Deadline,
): Promise<Block | undefined> {
  if (selector.kind === "pending") {
    if (!servesPending(parts)) throw pendingUnsupported();
    if (parts.pendingBlock !== undefined) {
      const { block } = await pendingRead(parts.pendingBlock(), deadline);
      return parts.config.skipRemasc ? withoutReward(block) : block;
    }
  }
  return findBlock(parts.chain, selector);
}
