import { fromRlp, sha256 } from "viem";
import type { Hex } from "../node/types.js";

/** Peg-outs under way, in the order of their stages. */
export interface PegOuts {
  /** Requests that the next batch will pay. */
  queued: readonly { amount: bigint; request: Hex | undefined }[];
  /** Transactions that wait for confirmations. */
  unconfirmed: readonly { parentId: Hex; block: number; request: Hex | undefined }[];
  /** Transactions that wait for the federation's signatures. */
  unsigned: readonly { parentId: Hex; request: Hex }[];
}

/**
 * Decodes the result of the bridge's `getStateForDebugging` (`spec/06b-1 §2.3`): a list of height, outputs, and the lists of the three
 * stages, each of them encoded by itself. Entries from before RSKIP-146 have no hash of their request and are not listed.
 */
export function decodePegOuts(state: Hex): PegOuts {
  const [, , unsigned, queued, unconfirmed] = listOf(state);
  return {
    unsigned: groups(unsigned, 2).map(([request, transaction]) => ({
      request: request!,
      parentId: parentId(transaction!),
    })),
    queued: groups(queued, 3).map(([, amount, request]) => ({ amount: numberOf(amount!), request })),
    unconfirmed: groups(unconfirmed, 3).map(([transaction, block, request]) => ({
      parentId: parentId(transaction!),
      block: Number(numberOf(block!)),
      request,
    })),
  };
}

function listOf(encoded: Hex | undefined): Hex[] {
  const list = encoded === undefined || encoded === "0x" ? [] : fromRlp(encoded, "hex");
  return Array.isArray(list) ? (list as Hex[]) : [];
}

function groups(encoded: Hex | undefined, size: number): Hex[][] {
  const items = listOf(encoded);
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

function numberOf(bytes: Hex): bigint {
  return bytes === "0x" ? 0n : BigInt(bytes);
}

/** Id in display order, without the prefix that hashes of this chain have: of transactions without witnesses. */
function parentId(transaction: Hex): Hex {
  const digest = sha256(sha256(transaction)).slice(2);
  return digest.match(/../g)!.toReversed().join("") as Hex;
}
