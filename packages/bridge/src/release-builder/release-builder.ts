import { EMPTY_BYTES } from "@cambium/primitives";
import { type InputForm, legacyBaseInput, witnessBaseInput } from "../bitcoin/base-input.js";
import { type Multisig, parseMultisig } from "../bitcoin/redeem-script.js";
import {
  encodeOutput,
  encodeStripped,
  type ParentOutput,
  type ParentTransaction,
  withInputs,
} from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";
import { balanceOf, type Utxo } from "../storage/utxo.js";
import { dustLimit, isDust } from "./dust.js";
import { builtSize } from "./size.js";
import { inSpendingOrder, type Wallet } from "./wallet.js";

// Builds transactions that spend from a federation's wallet: spec/06b-3 §6.3, §6.4.

const MINIMUM_FEE = 5000n;
const MAX_SIZE = 100_000;
const SEQUENCE = 0xffffffff;

export type BuildFailure = "INSUFFICIENT" | "COULD_NOT_ADJUST" | "DUSTY" | "TOO_BIG";

export interface Built {
  readonly code: "SUCCESS";
  readonly transaction: ParentTransaction;
  /** The spent UTXOs, in input order. */
  readonly spent: readonly Utxo[];
}

export type BuildResult = Built | { readonly code: BuildFailure };

export interface ReleaseTerms {
  readonly outputs: readonly ParentOutput[];
  readonly changeScript: Uint8Array;
  /** Satoshi per 1000 bytes. */
  readonly feePerKb: bigint;
  /** Whether the fee is deducted from the outputs; otherwise it is added to them. */
  readonly recipientsPay: boolean;
  readonly version: number;
}

/** Pays the requested outputs, spending as few UTXOs as their order allows. */
export function buildRelease(wallet: Wallet, terms: ReleaseTerms): BuildResult {
  if (terms.outputs.some(isDust)) return { code: "DUSTY" };
  const coins = inSpendingOrder(wallet.coins);
  for (let fee = 0n; ; ) {
    const draft = draftRelease(coins, terms, fee);
    if (typeof draft === "string") return { code: draft };
    const needed = feeFor(wallet, draft.spent, draft.outputs, max(terms.feePerKb, MINIMUM_FEE));
    if (fee + draft.forgone >= needed) return complete(wallet, draft.spent, draft.outputs, terms.version);
    fee = needed;
  }
}

interface Draft {
  spent: readonly Utxo[];
  outputs: readonly ParentOutput[];
  /** Change below the dust limit, which is added to the fee. */
  forgone: bigint;
}

function draftRelease(coins: readonly Utxo[], terms: ReleaseTerms, fee: bigint): Draft | BuildFailure {
  const { recipientsPay } = terms;
  const outputs = recipientsPay ? withoutFee(terms.outputs, fee) : [...terms.outputs];
  if (outputs === undefined) return "COULD_NOT_ADJUST";
  const value = terms.outputs.reduce((sum, output) => sum + output.value, 0n);
  const needed = recipientsPay ? value : value + fee;
  const { spent, total } = selectCoins(coins, needed);
  if (total < needed) return "INSUFFICIENT";
  const change: ParentOutput = { value: total - needed, script: terms.changeScript };
  if (change.value === 0n) return { spent, outputs, forgone: 0n };
  if (!isDust(change)) return { spent, outputs: [...outputs, change], forgone: 0n };
  if (!recipientsPay) return { spent, outputs, forgone: change.value };
  const limit = dustLimit(change);
  const first = outputs[0]!;
  const reduced = { ...first, value: first.value - (limit - change.value) };
  if (isDust(reduced)) return "COULD_NOT_ADJUST";
  return { spent, outputs: [reduced, ...outputs.slice(1), { ...change, value: limit }], forgone: 0n };
}

/** Deducts the fee in equal shares; the first output also pays the remainder. Undefined if an output becomes dust. */
function withoutFee(outputs: readonly ParentOutput[], fee: bigint): ParentOutput[] | undefined {
  const count = BigInt(outputs.length);
  const reduced = outputs.map((output, i) => ({
    ...output,
    value: output.value - fee / count - (i === 0 ? fee % count : 0n),
  }));
  return reduced.some(isDust) ? undefined : reduced;
}

function selectCoins(coins: readonly Utxo[], needed: bigint): { spent: Utxo[]; total: bigint } {
  const spent: Utxo[] = [];
  let total = 0n;
  for (const coin of coins) {
    if (total >= needed) break;
    spent.push(coin);
    total += coin.value;
  }
  return { spent, total };
}

/** Sends all UTXOs to one script, minus the fee. */
export function buildEmptyWallet(wallet: Wallet, script: Uint8Array, feePerKb: bigint, version: number): BuildResult {
  const { coins } = wallet;
  const total = balanceOf(coins);
  const fee = max(feeFor(wallet, coins, [{ value: total, script }], feePerKb), MINIMUM_FEE);
  const output = { value: total - fee, script };
  if (isDust(output)) return { code: "COULD_NOT_ADJUST" };
  return complete(wallet, coins, [output], version);
}

function feeFor(wallet: Wallet, spent: readonly Utxo[], outputs: readonly ParentOutput[], rate: bigint): bigint {
  const inputs = spent.map((coin) => {
    const redeem = wallet.redeemOf(coin);
    return { threshold: multisigOf(redeem).threshold, redeemLength: redeem.length };
  });
  const lengths = outputs.map((output) => encodeOutput(output).length);
  const size = builtSize(wallet.segwit, inputs, lengths);
  return (rate * BigInt(size)) / 1000n;
}

/**
 * Completes the inputs. The size limit is checked after adding legacy scripts, but before adding witnesses and their
 * programs.
 */
function complete(
  wallet: Wallet,
  spent: readonly Utxo[],
  outputs: readonly ParentOutput[],
  version: number,
): BuildResult {
  const inputs = spent.map(({ txid, index }) => ({
    txid,
    index,
    script: EMPTY_BYTES,
    sequence: SEQUENCE,
    witness: [],
  }));
  const bare: ParentTransaction = { version, inputs, outputs, lockTime: 0 };
  const form = (_: unknown, i: number) => baseInput(wallet.segwit, wallet.redeemOf(spent[i]!));
  const transaction = wallet.segwit ? bare : withInputs(bare, form);
  if (encodeStripped(transaction).length > MAX_SIZE) return { code: "TOO_BIG" };
  return { code: "SUCCESS", transaction: wallet.segwit ? withInputs(bare, form) : transaction, spent };
}

const multisigs = new WeakMap<Uint8Array, Multisig>();

/** The multisig of a script, cached by script object. Throws {@link BridgeError} if the script is not one. */
function multisigOf(redeem: Uint8Array): Multisig {
  let multisig = multisigs.get(redeem);
  if (multisig === undefined) {
    multisig = parseMultisig(redeem);
    if (multisig === undefined) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
    multisigs.set(redeem, multisig);
  }
  return multisig;
}

/** The unsigned form of an input (`spec/06b-3 §6.1`). */
export function baseInput(segwit: boolean, redeem: Uint8Array): InputForm {
  const { threshold, emergency } = multisigOf(redeem);
  return segwit ? witnessBaseInput(redeem, threshold) : legacyBaseInput(redeem, threshold, emergency);
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
