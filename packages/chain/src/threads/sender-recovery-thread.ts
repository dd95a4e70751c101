import { decodeRlpList, serveThread } from "@cambium/primitives";
import { applySenders, packSenders, Transaction } from "@cambium/types";

/** A block whose signers are to be recovered. */
export interface UnrecoveredBlock {
  bytes: Uint8Array;
  /** Signers that are known already, as in `BlockInput`. */
  senders: Uint8Array | undefined;
}

export interface RecoveryMethods {
  /** Packed signers of the block's transactions; those that are known are not recovered. */
  recover(block: UnrecoveredBlock): Uint8Array;
}

/** Signers that cannot be recovered (a malformed block, no signer) are missing; the import handles them itself. */
function recover({ bytes, senders: known }: UnrecoveredBlock): Uint8Array {
  try {
    const items = decodeRlpList(bytes)[1]?.items ?? [];
    const transactions = items.map((item, index) => Transaction.decode(item, index === items.length - 1));
    if (known !== undefined) applySenders(transactions, known);
    return packSenders(transactions.map(({ sender }) => sender));
  } catch {
    return new Uint8Array(0);
  }
}

void serveThread<RecoveryMethods>(() => ({ methods: { recover } }));
