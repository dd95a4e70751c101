import type { Log } from "@cambium/types";
import type { ExceptionKind } from "./errors.js";

/** Result of an executed transaction. */
export interface TransactionOutcome {
  /** Receipt status. */
  status: 0 | 1;
  gasUsed: number;
  /** Wei; not always gasUsed times price (`spec/04 §12`, 24). */
  fee: bigint;
  /** Gas deducted as refund. */
  refund: number;
  logs: readonly Log[];
  /** null if there is no output at all. */
  output: Uint8Array | null;
  exception?: { kind: ExceptionKind; message: string; isNative?: boolean };
  reverted: boolean;
  /** Address of the created contract, set even if the creation failed. */
  created?: Uint8Array;
  /** Accounts removed at the end of the transaction, as lower-case hex. */
  deleted: readonly string[];
  /** Native contracts called outside nested creations, as lower-case hex (`spec/04 §9.3`, step 3). */
  calledContracts: ReadonlySet<string>;
}

/** Result of a call without effect on the chain. */
export interface LocalCallOutcome extends TransactionOutcome {
  /** Peak of gas used within a frame, with the other inputs of the estimate (`spec/04 §2.6`). */
  maxGasUsed: number;
  movedRemainingGasToChild: boolean;
  /** Gas to add to the estimate because a call moved value. */
  stipend: number;
}
