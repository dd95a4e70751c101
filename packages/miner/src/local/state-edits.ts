import { STATE_EDITOR_ACCOUNT, STATE_EDITOR_ADDRESS } from "@cambium/config";
import { encodeStateEdits, type StateEdit } from "@cambium/contracts";
import { keccak256, utf8 } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { signTransaction, type Transaction } from "@cambium/types";

/**
 * Bytes of edits after which the next transaction begins, and transactions of a block: together less than blocks on the
 * wire have.
 */
const TRANSACTION_BYTES = 65_536;
const BLOCK_TRANSACTIONS = 4;
/** About what an edit has besides its values. */
const EDIT_BYTES = 32;

/** The key of the account that the state editor obeys; it is public. */
const KEY = keccak256(utf8("cambium state editor account"));

/** The edits in order, as those of each block, by transaction. */
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
 * The transactions of a block that make these edits, after a state. They have no gas, so that the account needs no
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
