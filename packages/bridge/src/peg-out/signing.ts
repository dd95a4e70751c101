import { concatBytes, decodePoint, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { readPublicKey } from "../bitcoin/public-key.js";
import { type Multisig, parseMultisig } from "../bitcoin/redeem-script.js";
import { parseScript, pushData } from "../bitcoin/script.js";
import { decodeSignature, type EcdsaSignature, encodeInputSignature, fitsKey, isLow } from "../bitcoin/signature.js";
import { legacySignatureHash, witnessSignatureHash } from "../bitcoin/signature-hash.js";
import { type ParentInput, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import type { BridgeSession } from "../session.js";
import { outpointValues } from "./settle.js";
import { shownScript } from "./unsigned-form.js";

// How a member's signatures come into a created transaction: spec/06b-3 §8, "Process".

/** An input as far as signing it goes. */
interface Signable {
  readonly redeem: Uint8Array;
  readonly multisig: Multisig;
  /**
   * What stands between the first empty item and the redeem script: signatures, then empty places. The selector of the
   * emergency branch is the last of them, and a surplus signature may take it.
   */
  readonly places: readonly Uint8Array[];
}

function readInput(input: ParentInput): Signable | undefined {
  const redeem = shownScript(input);
  const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
  if (redeem === undefined || multisig === undefined) return undefined;
  const items = input.witness.length > 0 ? input.witness : parseScript(input.script).map((chunk) => chunk.data!);
  return { redeem, multisig, places: items.slice(1, -1) };
}

function writePlaces(input: ParentInput, { redeem }: Signable, places: readonly Uint8Array[]): ParentInput {
  const items = [EMPTY_BYTES, ...places, redeem];
  return input.witness.length > 0
    ? { ...input, witness: items }
    : { ...input, script: concatBytes(...items.map(pushData)) };
}

/** Hash that each input's signature signs. Throws where a witness input's value is not known. */
function signatureHashes(session: BridgeSession, transaction: ParentTransaction): Uint8Array[] {
  return transaction.inputs.map((input, i) => {
    const redeem = shownScript(input) ?? session.fail("addSignature", "an input shows no script");
    if (input.witness.length === 0) return legacySignatureHash(transaction, i, redeem);
    const value = outpointValues(session, transactionId(transaction))?.[i];
    if (value === undefined) return session.fail("addSignature", "the value of an input is not known");
    return witnessSignatureHash(transaction, i, redeem, value);
  });
}

export interface Signed {
  readonly transaction: ParentTransaction;
  /** Whether inputs were signed and none was a stranger's. */
  readonly counts: boolean;
}

/** Enters a member's signatures, one for each input, up to the first input that the member has signed before. */
export function signInputs(
  session: BridgeSession,
  transaction: ParentTransaction,
  key: Uint8Array,
  signatures: readonly EcdsaSignature[],
): Signed {
  const hashes = signatureHashes(session, transaction);
  const { point } = readPublicKey(key)!;
  const areValid = signatures.every((signature, i) => fitsKey(hashes[i]!, signature, point) && isLow(signature));
  if (!areValid) return { transaction, counts: false };
  const inputs = [...transaction.inputs];
  let counts = false;
  for (const [i, input] of transaction.inputs.entries()) {
    const signable = readInput(input);
    if (signable === undefined || hasSigned(signable, hashes[i]!, point)) break;
    const places = insert(session, signable, hashes[i]!, key, signatures[i]!);
    // A stranger to this input: what was entered before stays, but does not count.
    if (places === undefined) return { transaction: { ...transaction, inputs }, counts: false };
    inputs[i] = writePlaces(input, signable, places);
    counts = true;
  }
  return { transaction: { ...transaction, inputs }, counts };
}

function present({ places }: Signable): Uint8Array[] {
  return places.filter((place) => place.length > 0);
}

function fitsPlace(place: Uint8Array, hash: Uint8Array, point: Uint8Array): boolean {
  const signature = decodeSignature(place.subarray(0, -1));
  return signature !== undefined && fitsKey(hash, signature, point);
}

function hasSigned(signable: Signable, hash: Uint8Array, point: Uint8Array): boolean {
  return present(signable).some((place) => fitsPlace(place, hash, point));
}

/** Position of the key that a signature fits, -1 without one. */
function ownerOf(place: Uint8Array, keys: readonly Uint8Array[], hash: Uint8Array): number {
  return keys.findIndex((key) => {
    const point = decodePoint(key);
    return point !== undefined && fitsPlace(place, hash, point);
  });
}

/**
 * The places with one more signature, in the order of the script's keys. Undefined when a key is none of the script's.
 * Fails where there is no empty place left.
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
  if (signable.places.at(-1)?.length !== 0) session.fail("addSignature", "an input has no place for a signature");
  taken.splice(before, 0, encodeInputSignature(signature));
  const empty = signable.places.length - taken.length;
  return [...taken, ...Array.from({ length: empty }, () => EMPTY_BYTES)];
}

/** Whether every place of every input, not counting the selector of the emergency branch, has its signature. */
export function isFullySigned({ inputs }: ParentTransaction): boolean {
  return inputs.every((input) => {
    const { multisig, places } = readInput(input) ?? {};
    const needed = multisig?.emergency ? places?.slice(0, -1) : places;
    return needed?.every((place) => place.length > 0) ?? false;
  });
}
