import { bigintToFixedBytes, leftPad, toData, toQuantity } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { pendingRead } from "../calls/pending-reads.js";
import { STORAGE_REQUESTS } from "../calls/storage-requests.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { serverError } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { requireState } from "../lookups/block-lookup.js";
import { ZERO_HASH } from "../objects/format.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import { ADDRESS, NUMBER } from "../params/value-types.js";
import { arrayOf, BYTES, BYTES_32, QUANTITY } from "../schemas/values.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: true, hash: true, map: true });
const MINED = blockSelector({ pending: false, hash: true, map: true });

/** Methods for accounts at a block (`spec/09 §7.4`). */
export const STATE_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_getBalance",
    summary: "Balance of an account in wei",
    params: [required("address", ADDRESS), optional("block", BLOCK, LATEST)],
    result: QUANTITY,
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async (parts, [address, block], deadline) => {
      const { pendingState } = parts;
      if (block.kind !== "pending" || pendingState === undefined) {
        return toQuantity(stateAt(parts, block).getBalance(address));
      }
      return toQuantity(await pendingRead(pendingState.getBalance(address), deadline));
    },
  }),
  defineMethod({
    name: "eth_getTransactionCount",
    summary: "Number of transactions sent from an account",
    params: [required("address", ADDRESS), optional("block", BLOCK, LATEST)],
    result: QUANTITY,
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [address, block]) => {
      // The pool counts pending transactions without executing them (`spec/09 §5.1`).
      if (block.kind === "pending") return toQuantity(parts.pool.pendingNonce(address));
      return toQuantity(stateAt(parts, block).getNonce(address));
    },
  }),
  defineMethod({
    name: "eth_getStorageAt",
    summary: "Value of a storage cell of a contract, 32 bytes",
    params: [required("address", ADDRESS), required("position", NUMBER), optional("block", BLOCK, LATEST)],
    result: BYTES_32,
    reads: "chain",
    errors: ["STATE_NOT_FOUND", "SERVER_ERROR"],
    handler: async (parts, [address, position, block], deadline) => {
      const keys = [bigintToFixedBytes(position, 32)];
      return (await storageWords(parts, block, address, keys, deadline))[0];
    },
  }),
  defineMethod({
    name: "eth_getStorageValues",
    summary: "Values of up to 1024 storage cells of contracts, 32 bytes each, in lists by address",
    params: [required("requests", STORAGE_REQUESTS), optional("block", BLOCK, LATEST)],
    result: { type: "object", additionalProperties: arrayOf(BYTES_32) },
    reads: "chain",
    errors: ["STATE_NOT_FOUND", "SERVER_ERROR"],
    handler: async (parts, [requests, block], deadline) => {
      const values: Record<string, string[]> = {};
      for (const { address, keys } of requests) {
        values[toData(address)] = await storageWords(parts, block, address, keys, deadline);
      }
      return values;
    },
  }),
  defineMethod({
    name: "eth_getCode",
    summary: "Code of a contract",
    params: [required("address", ADDRESS), optional("block", BLOCK, LATEST)],
    result: BYTES,
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async (parts, [address, block], deadline) => {
      const { pendingState } = parts;
      if (block.kind !== "pending" || pendingState === undefined) {
        return toData(stateAt(parts, block).getCode(address));
      }
      return toData(await pendingRead(pendingState.getCode(address), deadline));
    },
  }),
  defineMethod({
    name: "eth_getAccountInfo",
    summary: "Balance, nonce and code of an account at one block",
    params: [required("address", ADDRESS), optional("block", MINED, LATEST)],
    result: {
      type: "object",
      required: ["balance", "nonce", "code"],
      properties: { balance: QUANTITY, nonce: QUANTITY, code: BYTES },
    },
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [address, block]) => {
      const state = requireState(chain, block);
      return {
        balance: toQuantity(state.getBalance(address)),
        nonce: toQuantity(state.getNonce(address)),
        code: toData(state.getCode(address)),
      };
    },
  }),
];

/** State after a block, or after the pending transactions on top of the best block. */
function stateAt({ chain, pool }: MethodParts, block: BlockSelector): StateReader {
  return block.kind === "pending" ? pool.pendingState() : requireState(chain, block);
}

/** Values of cells of one account. */
async function storageWords(
  parts: MethodParts,
  block: BlockSelector,
  address: Uint8Array,
  keys: readonly Uint8Array[],
  deadline: Deadline,
): Promise<string[]> {
  const { pendingState } = parts;
  if (block.kind !== "pending" || pendingState === undefined) {
    const state = stateAt(parts, block);
    return keys.map((key) => storageWord(state.getStorageBytes(address, key)));
  }
  const reads = keys.map((key) => pendingRead(pendingState.getStorageBytes(address, key), deadline));
  return (await Promise.all(reads)).map(storageWord);
}

/** Value of a cell as a word. Some cells of native contracts hold more than a word (`spec/01 §4.5`). */
function storageWord(stored: Uint8Array | undefined): string {
  if (stored === undefined) return ZERO_HASH;
  if (stored.length > 32) throw serverError(`the storage cell has ${stored.length} bytes, more than a word`);
  return toData(leftPad(stored, 32));
}
