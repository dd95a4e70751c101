import { equalBytes } from "@cambium/primitives";
import type { ParentAddress } from "../bitcoin/address.js";
import { isScriptHashOutput, parseScript, publicKeyHashOf } from "../bitcoin/script.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";
import { liveSpenders, outputsTo, type Spender } from "../federation/spending.js";
import type { BridgeSession } from "../session.js";
import { findInstructions } from "./instructions.js";
import { minimumPegIn } from "./minimum-peg-in.js";
import { findSender, type Sender } from "./sender.js";

// Decides whether a peg-in is credited, refunded or rejected: spec/06b-3 §3.1 (RSKIP-379).

/** Codes of the event that reports why a peg-in was rejected. */
export const REJECTED = {
  capSurpassed: 1,
  multisigSender: 2,
  undeterminedSender: 3,
  invalidPayload: 4,
  invalidAmount: 5,
} as const;

/** Codes of the event that reports why a rejected peg-in was not refunded. */
export const UNREFUNDABLE = {
  undeterminedSender: 1,
  noRefundAddress: 2,
  invalidAmount: 3,
  differentFederations: 4,
} as const;

/** Sender and instructions of a peg-in, as read from the transaction. */
export interface PegInInformation {
  readonly version: 0 | 1;
  readonly sender: Sender | undefined;
  readonly destination: Uint8Array | undefined;
  readonly refundAddress: ParentAddress | undefined;
  /** Whether there are instructions that cannot be parsed. */
  readonly isInvalid: boolean;
}

/**
 * Reads the sender, then the instructions, which are used from RSKIP-170 on. Throws {@link BridgeError} if a script
 * cannot be read.
 */
export function readPegIn({ rules }: BridgeSession, transaction: ParentTransaction): PegInInformation {
  const sender = findSender(transaction);
  const instructions = rules.rskip170 ? findInstructions(transaction) : undefined;
  const base = { sender, destination: sender?.account, refundAddress: sender?.address };
  if (instructions === undefined) return { ...base, version: 0, isInvalid: false };
  if (instructions === "invalid") return { ...base, version: 0, isInvalid: true };
  const { destination, refund } = instructions;
  return { version: 1, sender, destination, refundAddress: refund ?? sender?.address, isInvalid: false };
}

export type PegInVerdict =
  | { readonly action: "register"; readonly information: PegInInformation }
  | { readonly action: "refund"; readonly to: ParentAddress; readonly reason: number }
  | { readonly action: "keep"; readonly reason: number; readonly unrefundable: number };

export function evaluatePegIn(session: BridgeSession, transaction: ParentTransaction): PegInVerdict {
  const spenders = liveSpenders(session);
  const paid = outputsTo(transaction, spenders);
  const minimum = minimumPegIn(session);
  if (paid.length === 0 || paid.some(({ value }) => value < minimum)) {
    return { action: "keep", reason: REJECTED.invalidAmount, unrefundable: UNREFUNDABLE.invalidAmount };
  }
  const information = readPegIn(session, transaction);
  const { isInvalid, refundAddress: to, version, sender } = information;
  if (isInvalid) {
    const reason = REJECTED.invalidPayload;
    if (to !== undefined) return { action: "refund", to, reason };
    return { action: "keep", reason, unrefundable: UNREFUNDABLE.undeterminedSender };
  }
  if (version === 1 || sender?.account !== undefined) return { action: "register", information };
  if (sender === undefined) {
    const reason = REJECTED.undeterminedSender;
    return { action: "keep", reason, unrefundable: UNREFUNDABLE.undeterminedSender };
  }
  const reason = REJECTED.multisigSender;
  if (!hasDifferentForms(transaction, spenders)) return { action: "refund", to: sender.address, reason };
  return { action: "keep", reason, unrefundable: UNREFUNDABLE.differentFederations };
}

/**
 * Public-key or script hash that an output pays to. Throws {@link BridgeError} `PARENT_SCRIPT` for any other output.
 */
function paidHash(script: Uint8Array): Uint8Array {
  if (isScriptHashOutput(script)) return script.subarray(2, 22);
  const hash = publicKeyHashOf(parseScript(script));
  if (hash === undefined)
    throw new BridgeError({ code: "PARENT_SCRIPT", reason: "pays neither a public-key hash nor a script hash" });
  return hash;
}

/** Whether outputs pay to two live federations of different formats. Every output is checked and must pay to a hash. */
function hasDifferentForms({ outputs }: ParentTransaction, spenders: readonly Spender[]): boolean {
  const hashes = outputs.map(({ script }) => paidHash(script));
  const paid = spenders.filter((spender) => hashes.some((hash) => equalBytes(hash, spender.hash)));
  return new Set(paid.map(({ federation }) => federation.format)).size > 1;
}
