import { sha256d } from "@cambium/merged-mining";
import { type AbiArgument, concatBytes, encodeRlp, equalBytes, reverseBytes } from "@cambium/primitives";
import type { Implementations } from "../abi/implementation.js";
import { parseScript } from "../bitcoin/script.js";
import { isCoinbase, type ParentTransaction, parseCheckedTransaction } from "../bitcoin/transaction.js";
import type { BridgeSession } from "../session.js";
import { coinbaseInformationCell } from "./confirmations.js";
import { merkleRoot, parentBlockHash } from "./header-hash.js";
import { proofOf } from "./inclusion.js";

const METHOD = "registerBtcCoinbaseTransaction";

/** `OP_RETURN`, a push of 36 bytes, and the four-byte header of a witness commitment (BIP-141). */
const COMMITMENT_MARK = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);
const COMMITMENT_END = 38;

/**
 * Registers the witness Merkle root of a block, proven by its coinbase (RSKIP-143): `spec/06b-1 §4.1`. The coinbase is
 * passed without its witness, because the block's Merkle tree contains the hash of that form.
 */
function register(session: BridgeSession, args: readonly AbiArgument[]): undefined {
  const [raw, blockHash, tree, witnessRoot, reserved] = args as readonly Uint8Array[];
  const { blocks, storage } = session;
  const hash = sha256d(raw!);
  const { root, matched } = proofOf(tree!);
  if (!matched.some((leaf) => equalBytes(leaf, hash))) return;

  const block = blocks.get(blockHash!);
  if (block === undefined) return session.refuse(METHOD, "block not stored");
  if (!equalBytes(reverseBytes(root), merkleRoot(block.header))) return;

  const coinbase = parseCheckedTransaction(raw!);
  if (!isCoinbase(coinbase)) session.fail(METHOD, "not a coinbase");
  const commitment = witnessCommitment(session, coinbase);
  const expected = sha256d(concatBytes(reverseBytes(witnessRoot!), reserved!));
  if (commitment === undefined || !equalBytes(commitment, expected)) session.refuse(METHOD, "witness commitment");
  storage.write(coinbaseInformationCell(parentBlockHash(block.header)), encodeRlp([witnessRoot!]));
}

/** The last commitment among the outputs. Before RSKIP-460, an output script that cannot be parsed is an error. */
function witnessCommitment({ rules }: BridgeSession, { outputs }: ParentTransaction): Uint8Array | undefined {
  for (const { script } of [...outputs].reverse()) {
    if (!rules.rskip460) parseScript(script);
    const isCommitment =
      script.length >= COMMITMENT_END && equalBytes(script.subarray(0, COMMITMENT_MARK.length), COMMITMENT_MARK);
    if (isCommitment) return script.subarray(COMMITMENT_MARK.length, COMMITMENT_END);
  }
  return undefined;
}

/** Methods for coinbase registration, which witness proofs depend on. */
export const coinbaseMethods: Implementations = {
  "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)": (session, args) => {
    // The store is opened before anything else is checked.
    session.blocks.head();
    return register(session, args);
  },
};
