import { concatBytes, hash160, publicKeyToAddress } from "@cambium/primitives";
import type { ParentAddress } from "../bitcoin/address.js";
import { readPublicKey } from "../bitcoin/public-key.js";
import { parseMultisigStrictly } from "../bitcoin/redeem-script.js";
import { parseScript, redeemHash, type ScriptChunk } from "../bitcoin/script.js";
import { hasWitness, type ParentTransaction } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";

// Determines the sender of a peg-in: spec/06b-3 §3.2. Signatures are not verified.

export type SenderKind = "key" | "witness-key" | "multisig" | "witness-multisig";

export interface Sender {
  readonly kind: SenderKind;
  /** Address for refunds. */
  readonly address: ParentAddress;
  /** Account of the sender's key; absent for a multisig. */
  readonly account?: Uint8Array;
}

type Attempt = (transaction: ParentTransaction, chunks: readonly ScriptChunk[]) => Sender | undefined;

/**
 * The sender according to the first input, undefined if unknown. Throws {@link BridgeError} if a script cannot be read.
 */
export function findSender(transaction: ParentTransaction): Sender | undefined {
  const chunks = parseScript(transaction.inputs[0]!.script);
  for (const attempt of [fromKey, fromWitnessKey, fromMultisig, fromWitnessMultisig]) {
    const sender = attempt(transaction, chunks);
    if (sender !== undefined) return sender;
  }
  return undefined;
}

const fromKey: Attempt = (_, chunks) => {
  const pushed = chunks.length === 2 ? chunks[1]!.data : undefined;
  const key = pushed === undefined ? undefined : readPublicKey(pushed);
  if (key === undefined) return undefined;
  return {
    kind: "key",
    address: { kind: "key", hash: hash160(key.encoded) },
    account: publicKeyToAddress(key.point),
  };
};

/** Witness of the first input if its script is the single push of a witness program, otherwise undefined. */
function witnessOf(transaction: ParentTransaction, chunks: readonly ScriptChunk[]): readonly Uint8Array[] | undefined {
  return hasWitness(transaction) && chunks.length === 1 ? transaction.inputs[0]!.witness : undefined;
}

const fromWitnessKey: Attempt = (transaction, chunks) => {
  const witness = witnessOf(transaction, chunks);
  if (witness?.length !== 2) return undefined;
  const pushed = witness[1]!;
  const key = readPublicKey(pushed);
  if (key === undefined) throw new BridgeError({ code: "INVALID_PUBLIC_KEY", key: pushed });
  if (pushed.length !== 33) return undefined;
  const program = concatBytes(Uint8Array.of(0, 20), hash160(pushed));
  return {
    kind: "witness-key",
    address: { kind: "script", hash: hash160(program) },
    account: publicKeyToAddress(key.point),
  };
};

const fromMultisig: Attempt = (_, chunks) => {
  if (chunks.length < 3) return undefined;
  const redeem = chunks.at(-1)!.data;
  if (redeem === undefined) throw new BridgeError({ code: "PARENT_SCRIPT", reason: "no script pushed" });
  return multisigSender("multisig", redeem);
};

const fromWitnessMultisig: Attempt = (transaction, chunks) => {
  const witness = witnessOf(transaction, chunks);
  return witness === undefined || witness.length < 3 ? undefined : multisigSender("witness-multisig", witness.at(-1)!);
};

function multisigSender(kind: "multisig" | "witness-multisig", redeem: Uint8Array): Sender | undefined {
  if (parseMultisigStrictly(redeem) === undefined) return undefined;
  return { kind, address: { kind: "script", hash: redeemHash(redeem, kind === "witness-multisig") } };
}
