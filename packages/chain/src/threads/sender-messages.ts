/** To the worker: encoded transaction lists of some blocks. */
export interface RecoveryRequest {
  id: number;
  blocks: Uint8Array[];
}

/** From the worker: for every block the signers of its transactions in order, 20 bytes each. */
export interface RecoveryAnswer {
  id: number;
  senders: Uint8Array[];
}

export const SENDER_LENGTH = 20;
