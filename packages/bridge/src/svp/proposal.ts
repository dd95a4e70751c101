import { decodeRlpList, encodeRlp, equalBytes, fromHex } from "@cambium/primitives";
import {
  encodeTransaction,
  hasWitness,
  type ParentTransaction,
  parseTransaction,
  transactionId,
} from "../bitcoin/transaction.js";
import { withoutSignatures, withoutSignaturesBeforeRskip305 } from "../bitcoin/unsigned-form.js";
import { requireItems } from "../model/codecs.js";
import type { Federation } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

// Progress of a proposed federation's proof that it can sign: spec/06b-3 §7 (RSKIP-419).

/** Prefix of the flyover address with which a proposed federation proves that it can spend from such addresses. */
export const PROPOSED_FLYOVER_PREFIX: Uint8Array = fromHex("01".padStart(64, "0"));

/** The proposed federation, undefined if there is none or its validation period has ended. */
export function provingFederation({ storage, network, context }: BridgeSession): Federation | undefined {
  const proposed = storage.proposedFederation;
  if (proposed === undefined) return undefined;
  const end = proposed.creationBlock + network.bridge.validationPeriod;
  return context.block.number < end ? proposed : undefined;
}

/** A stored id or raw transaction, undefined if absent. */
function read({ storage, rules }: BridgeSession, key: Uint8Array): Uint8Array | undefined {
  return rules.rskip419 ? storage.readItem(key) : undefined;
}

function write({ storage }: BridgeSession, key: Uint8Array, value: Uint8Array | undefined): void {
  storage.write(key, value === undefined ? undefined : encodeRlp(value));
}

export const fundId = {
  get: (session: BridgeSession) => read(session, CELLS.svpFundHash),
  set: (session: BridgeSession, txid: Uint8Array | undefined) => write(session, CELLS.svpFundHash, txid),
};

export const spendId = {
  get: (session: BridgeSession) => read(session, CELLS.svpSpendHash),
  set: (session: BridgeSession, txid: Uint8Array | undefined) => write(session, CELLS.svpSpendHash, txid),
};

export const signedFund = {
  get(session: BridgeSession): ParentTransaction | undefined {
    const raw = read(session, CELLS.svpFundSigned);
    return raw === undefined ? undefined : parseTransaction(raw);
  },
  set(session: BridgeSession, transaction: ParentTransaction | undefined): void {
    write(session, CELLS.svpFundSigned, transaction === undefined ? undefined : encodeTransaction(transaction));
  },
};

/** The spend transaction, with the hash under which signers refer to it. */
export interface SpendToSign {
  readonly key: Uint8Array;
  readonly transaction: ParentTransaction;
}

export const spendToSign = {
  get({ storage, rules }: BridgeSession): SpendToSign | undefined {
    const cell = rules.rskip419 ? storage.read(CELLS.svpSpendWaitingForSignatures) : undefined;
    if (cell === undefined) return undefined;
    const items = decodeRlpList(cell);
    if (items.length === 0) return undefined;
    const [key, raw] = requireItems(items.slice(0, 2), 2, "proof to sign");
    return { key: key!.bytes, transaction: parseTransaction(raw!.bytes) };
  },
  set({ storage }: BridgeSession, entry: SpendToSign | undefined): void {
    const cell = entry === undefined ? undefined : encodeRlp([entry.key, encodeTransaction(entry.transaction)]);
    storage.write(CELLS.svpSpendWaitingForSignatures, cell);
  },
};

/** Clears the proposed federation and the state of its proof. */
export function clearProposal(session: BridgeSession): void {
  session.storage.setProposedFederation(undefined);
  fundId.set(session, undefined);
  signedFund.set(session, undefined);
  spendId.set(session, undefined);
  spendToSign.set(session, undefined);
}

/**
 * Whether a transaction without its signatures has a stored id. Throws {@link BridgeError} `PARENT_SCRIPT` before
 * RSKIP-305 if an input reveals a script that is not spent by signatures.
 */
export function hasUnsignedId(
  { rules }: BridgeSession,
  transaction: ParentTransaction,
  id: Uint8Array | undefined,
): boolean {
  if (id === undefined) return false;
  const strip = rules.rskip305 ? withoutSignatures : withoutSignaturesBeforeRskip305;
  const unsigned = hasWitness(transaction) ? transaction : strip(transaction);
  return unsigned !== undefined && equalBytes(transactionId(unsigned), id);
}
