import { decodePoint, EMPTY_BYTES, equalBytes, joinBytes } from "@cambium/primitives";
import { readPublicKey } from "../bitcoin/public-key.js";
import { type Multisig, parseMultisig } from "../bitcoin/redeem-script.js";
import { parseScript, pushData, tryParseScript } from "../bitcoin/script.js";
import { decodeSignature, type EcdsaSignature, encodeInputSignature, isLow, matchesKey } from "../bitcoin/signature.js";
import { legacySignatureHash, witnessSignatureHash } from "../bitcoin/signature-hash.js";
import { type ParentInput, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { revealedScript } from "../bitcoin/unsigned-form.js";
import { BridgeError } from "../errors.js";
import { outpointValues } from "../releases/settle.js";
import type { BridgeSession } from "../session.js";

// Adds a member's signatures to a created transaction: spec/06b-3 §8, "Process".

/** The parts of an input that matter for signing. */
interface Signable {
  readonly redeem: Uint8Array;
  readonly multisig: Multisig;
  /**
   * Items between the first, empty one and the redeem script: signatures, then empty slots. The last slot is the
   * selector of the emergency branch, which a surplus signature may overwrite.
   */
  readonly slots: readonly Uint8Array[];
}

function readInput(input: ParentInput): Signable | undefined {
  const redeem = revealedScript(input);
  const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
  if (redeem === undefined || multisig === undefined) return undefined;
  const items = input.witness.length > 0 ? input.witness : parseScript(input.script).map((chunk) => chunk.data!);
  return { redeem, multisig, slots: items.slice(1, -1) };
}

function writeSlots(input: ParentInput, { redeem }: Signable, slots: readonly Uint8Array[]): ParentInput {
  const items = [EMPTY_BYTES, ...slots, redeem];
  return input.witness.length > 0 ? { ...input, witness: items } : { ...input, script: joinBytes(items.map(pushData)) };
}

/** Hashes that each input's signature signs. Fails if the value of a witness input is unknown. */
function signatureHashes(session: BridgeSession, transaction: ParentTransaction): Uint8Array[] {
  return transaction.inputs.map((input, i) => {
    const redeem = revealedScript(input);
    if (redeem === undefined || tryParseScript(redeem) === undefined) {
      return session.fail("addSignature", "an input reveals no script that can be parsed");
    }
    if (input.witness.length === 0) return legacySignatureHash(transaction, i, redeem);
    const value = outpointValues(session, transactionId(transaction))?.[i];
    if (value === undefined) return session.fail("addSignature", "the value of an input is unknown");
    return witnessSignatureHash(transaction, i, redeem, value);
  });
}

export interface Signed {
  readonly transaction: ParentTransaction;
  /** Whether inputs were signed, and the key belongs to the script of every input. */
  readonly counts: boolean;
}

/** Adds a member's signatures, one per input, up to the first input that the member has already signed. */
export function signInputs(
  session: BridgeSession,
  transaction: ParentTransaction,
  key: Uint8Array,
  signatures: readonly EcdsaSignature[],
): Signed {
  const hashes = signatureHashes(session, transaction);
  const { point } = readPublicKey(key)!;
  const areValid = signatures.every((signature, i) => matchesKey(hashes[i]!, signature, point) && isLow(signature));
  if (!areValid) return { transaction, counts: false };
  const inputs = [...transaction.inputs];
  let counts = false;
  for (const [i, input] of transaction.inputs.entries()) {
    const signable = readInput(input);
    if (signable === undefined || hasSigned(signable, hashes[i]!, point)) break;
    const slots = insert(session, signable, hashes[i]!, key, signatures[i]!);
    // The key does not belong to this input's script: earlier signatures stay, but the event is not emitted.
    if (slots === undefined) return { transaction: { ...transaction, inputs }, counts: false };
    inputs[i] = writeSlots(input, signable, slots);
    counts = true;
  }
  return { transaction: { ...transaction, inputs }, counts };
}

function present({ slots }: Signable): Uint8Array[] {
  return slots.filter((slot) => slot.length > 0);
}

function matchesSlot(slot: Uint8Array, hash: Uint8Array, point: Uint8Array): boolean {
  const signature = decodeSignature(slot.subarray(0, -1));
  return signature !== undefined && matchesKey(hash, signature, point);
}

function hasSigned(signable: Signable, hash: Uint8Array, point: Uint8Array): boolean {
  return present(signable).some((slot) => matchesSlot(slot, hash, point));
}

/** Index of the key that made a signature, -1 if there is none. */
function ownerOf(slot: Uint8Array, keys: readonly Uint8Array[], hash: Uint8Array): number {
  return keys.findIndex((key) => {
    const point = decodePoint(key);
    return point !== undefined && matchesSlot(slot, hash, point);
  });
}

/**
 * Returns the slots with one more signature, in the order of the script's keys. Undefined if the key, or the key of an
 * earlier signature, is not in the script. Fails if no slot is empty.
 */
function insert(
  session: BridgeSession,
  signable: Signable,
  hash: Uint8Array,
  key: Uint8Array,
  signature: EcdsaSignature,
): Uint8Array[] | undefined {
  const { keys } = signable.multisig;
  const own = keys.findIndex((candidate) => equalBytes(candidate, key));
  if (own < 0) return undefined;
  const taken = present(signable);
  let before = 0;
  for (; before < taken.length; before++) {
    const owner = ownerOf(taken[before]!, keys, hash);
    if (owner < 0) return undefined;
    if (owner > own) break;
  }
  if (signable.slots.at(-1)?.length !== 0) session.fail("addSignature", "an input has no slot for another signature");
  taken.splice(before, 0, encodeInputSignature(signature));
  const empty = signable.slots.length - taken.length;
  return [...taken, ...Array.from({ length: empty }, () => EMPTY_BYTES)];
}

/** Progress of signing a transaction's first input; the other inputs have signatures of the same members. */
export interface SigningProgress {
  /** Number of required signatures. */
  readonly required: number;
  /** Keys in the order of the script. */
  readonly signed: readonly Uint8Array[];
  readonly missing: readonly Uint8Array[];
}

/** Undefined if the first input reveals no multisig. Fails if the value of a witness input is unknown. */
export function signingProgress(session: BridgeSession, transaction: ParentTransaction): SigningProgress | undefined {
  const [first] = transaction.inputs;
  const signable = first && readInput(first);
  if (signable === undefined) return undefined;
  const [hash] = signatureHashes(session, transaction);
  const { threshold, keys } = signable.multisig;
  const owners = new Set(present(signable).map((slot) => ownerOf(slot, keys, hash!)));
  return {
    required: threshold,
    signed: keys.filter((_, i) => owners.has(i)),
    missing: keys.filter((_, i) => !owners.has(i)),
  };
}

/**
 * Whether every slot of every input, except the selector of the emergency branch, has a signature. Throws
 * {@link BridgeError} `PARENT_SCRIPT` if an input reveals no multisig.
 */
export function isFullySigned({ inputs }: ParentTransaction): boolean {
  return inputs.every((input) => {
    const signable = readInput(input);
    if (signable === undefined) throw new BridgeError({ code: "PARENT_SCRIPT", reason: "no multisig to be signed" });
    const { multisig, slots } = signable;
    const needed = multisig.emergency ? slots.slice(0, -1) : slots;
    return needed.every((slot) => slot.length > 0);
  });
}
