import { STATE_EDITOR_ACCOUNT, STATE_EDITOR_ADDRESS } from "@cambium/config";
import { encodeStateEdits, type StateEdit } from "@cambium/contracts";
import { keccak256, utf8 } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { signTransaction, type Transaction } from "@cambium/types";

/**
 * Size of edits in bytes after which the next transaction begins, and number of transactions in a block. Together they
 * stay below the limit of blocks on the wire.
 */
const TRANSACTION_BYTES = 65_536;
const BLOCK_TRANSACTIONS = 4;
/** Approximate overhead of an edit besides its values, in bytes. */
const EDIT_BYTES = 32;

/** Key of the account whose transactions edit the state; it is public. */
const KEY = keccak256(utf8("cambium state editor account"));

/** Groups the edits, in order, by block and by transaction. */
export function editBatches(edits: readonly StateEdit[]): StateEdit[][][] {
  const transactions: StateEdit[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const edit of edits) {
    const bytes = sizeOf(edit);
    if (size + bytes > TRANSACTION_BYTES) {
      transactions.push([]);
      size = 0;
    }
    transactions.at(-1)!.push(edit);
    size += bytes;
  }
  const blocks: StateEdit[][][] = [];
  for (let i = 0; i < transactions.length; i += BLOCK_TRANSACTIONS) {
    blocks.push(transactions.slice(i, i + BLOCK_TRANSACTIONS));
  }
  return blocks;
}

function sizeOf(edit: StateEdit): number {
  const values = edit.kind === "code" ? edit.code.length : edit.kind === "cell" ? 32 + edit.value.length : 32;
  return EDIT_BYTES + values;
}

/**
 * Returns the transactions of a block that make these edits on a state. They have no gas, so the account needs no
 * balance.
 */
export function editTransactions(
  edits: readonly (readonly StateEdit[])[],
  state: StateReader,
  gasPrice: bigint,
  chainId: number,
): Transaction[] {
  const nonce = state.getNonce(STATE_EDITOR_ACCOUNT);
  return edits.map((list, i) =>
    signTransaction(
      {
        nonce: nonce + BigInt(i),
        gasPrice,
        gasLimit: 0n,
        to: STATE_EDITOR_ADDRESS,
        data: encodeStateEdits(list),
        chainId,
      },
      KEY,
    ),
  );
}
