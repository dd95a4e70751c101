import { type InputForm, legacyBaseInput, witnessBaseInput } from "../bitcoin/base-input.js";
import { type Multisig, parseMultisig } from "../bitcoin/redeem-script.js";
import { OP } from "../bitcoin/script.js";
import { outputLength } from "../bitcoin/transaction.js";
import { variableLength } from "../bitcoin/variable-integer.js";
import { BridgeError } from "../errors.js";
import type { CoinSequence } from "./coin-sequence.js";
import { dustLimit } from "./dust.js";
import type { OutputTotals } from "./output-totals.js";
import {
  builtSize,
  builtVirtualSize,
  type InputSizes,
  type OutputSizes,
  signaturesSize,
  unsignedSize,
} from "./size.js";
import type { Wallet } from "./wallet.js";

// Chooses inputs, fee and change of a release without making its transaction: spec/06b-3 §6.3.

export const MINIMUM_FEE = 5000n;
const MAX_SIZE = 100_000;
const MAX_VIRTUAL_SIZE = 90_000;

export type BuildFailure = "INSUFFICIENT" | "COULD_NOT_ADJUST" | "DUSTY" | "TOO_BIG";

export interface FeeTerms {
  readonly changeScript: Uint8Array;
  /** Satoshi per 1000 bytes. */
  readonly feePerKb: bigint;
  /** Whether the fee is deducted from the outputs; otherwise it is added to them. */
  readonly recipientsPay: boolean;
}

/** Inputs and outputs of a release. Amounts are in satoshi. */
export interface ReleasePlan {
  /** Number of UTXOs to spend, from the first one. */
  readonly inputs: number;
  /** Amount deducted from every output. */
  readonly share: bigint;
  /**
   * Further deduction from the first output: the remainder of the shares, and the amount that raises the change to the
   * dust limit.
   */
  readonly remainder: bigint;
  /** Value of the last output, which returns to the federation; 0 if there is none. */
  readonly change: bigint;
  /** Change below the dust limit, which is added to the fee. */
  readonly forgone: bigint;
}

/** Plans to pay outputs, of which there is at least one. Throws {@link BridgeError} `UNSPENDABLE_COIN`. */
export function planRelease(
  wallet: Wallet,
  coins: CoinSequence,
  outputs: OutputTotals,
  terms: FeeTerms,
): ReleasePlan | BuildFailure {
  if (outputs.firstSpare < 0n || outputs.otherSpare < 0n) return "DUSTY";
  const rate = terms.feePerKb > MINIMUM_FEE ? terms.feePerKb : MINIMUM_FEE;
  let inputs: InputSizes | undefined;
  for (let fee = 0n; ; ) {
    const plan = draft(coins, outputs, terms, fee);
    if (typeof plan === "string") return plan;
    if (inputs?.count !== plan.inputs) inputs = inputSizes(wallet, coins, plan.inputs);
    const all = withChange(outputs, plan.change, terms.changeScript);
    const needed = feeFor(wallet, inputs, all, rate);
    if (fee + plan.forgone >= needed) return isTooBig(wallet, inputs, all) ? "TOO_BIG" : plan;
    fee = needed;
  }
}

/** Returns the fee of a planned release: the value of its inputs less the value of its outputs. */
export function feeOf(plan: ReleasePlan, coins: CoinSequence, outputs: OutputTotals): bigint {
  const paid = outputs.value - plan.share * BigInt(outputs.count) - plan.remainder + plan.change;
  return coins.valueOf(plan.inputs) - paid;
}

function draft(
  coins: CoinSequence,
  outputs: OutputTotals,
  { changeScript, recipientsPay }: FeeTerms,
  fee: bigint,
): ReleasePlan | BuildFailure {
  const count = BigInt(outputs.count);
  const share = recipientsPay ? fee / count : 0n;
  const remainder = recipientsPay ? fee % count : 0n;
  const firstSpare = outputs.firstSpare - share - remainder;
  if (firstSpare < 0n || share > outputs.otherSpare) return "COULD_NOT_ADJUST";
  const needed = recipientsPay ? outputs.value : outputs.value + fee;
  const inputs = coins.reaching(needed);
  if (inputs === undefined) return "INSUFFICIENT";
  const plan = { inputs, share, remainder, change: 0n, forgone: 0n };
  const value = coins.valueOf(inputs) - needed;
  const limit = changeScript[0] === OP.return ? 0n : dustLimit({ value, script: changeScript });
  if (value === 0n || value >= limit) return { ...plan, change: value };
  if (!recipientsPay) return { ...plan, forgone: value };
  const missing = limit - value;
  return missing > firstSpare ? "COULD_NOT_ADJUST" : { ...plan, remainder: remainder + missing, change: limit };
}

function withChange({ count, length }: OutputSizes, value: bigint, script: Uint8Array): OutputSizes {
  return value === 0n ? { count, length } : { count: count + 1, length: length + outputLength({ script }) };
}

/** Sizes of inputs that spend the first coins of a wallet, by their number, as far as they have been computed. */
interface WalletInputs {
  readonly coins: CoinSequence;
  readonly sizes: InputSizes[];
}

const inputsOf = new WeakMap<Wallet, WalletInputs>();

/** Sizes of inputs that spend the first `count` coins. Throws {@link BridgeError} `UNSPENDABLE_COIN`. */
export function inputSizes(wallet: Wallet, coins: CoinSequence, count: number): InputSizes {
  let inputs = inputsOf.get(wallet);
  if (inputs?.coins !== coins) inputsOf.set(wallet, (inputs = { coins, sizes: [NO_INPUTS] }));
  const { sizes } = inputs;
  while (sizes.length <= count) {
    const before = sizes.at(-1)!;
    const { signatures, script } = spendingSize(wallet.redeemOf(coins.coins[before.count]!), wallet.segwit);
    sizes.push({
      count: before.count + 1,
      signatures: before.signatures + signatures,
      scripts: before.scripts + script,
    });
  }
  return sizes[count]!;
}

const NO_INPUTS: InputSizes = { count: 0, signatures: 0, scripts: 0 };

/** Returns the contribution of an input with this redeem script to {@link InputSizes}. */
function spendingSize(redeem: Uint8Array, segwit: boolean): { signatures: number; script: number } {
  const signatures = signaturesSize(multisigOf(redeem).threshold, redeem);
  if (segwit) return { signatures, script: 0 };
  const { length } = baseInput(false, redeem).script;
  return { signatures, script: variableLength(length) + length - 1 };
}

/** Fee at a rate in satoshi per 1000 bytes. */
export function feeFor(wallet: Wallet, inputs: InputSizes, outputs: OutputSizes, rate: bigint): bigint {
  return (rate * BigInt(builtSize(wallet.segwit, inputs, outputs))) / 1000n;
}

/**
 * Whether a transaction is too big. The first limit counts legacy scripts, but neither witnesses nor their programs.
 * RSKIP-378 adds the second limit.
 */
export function isTooBig({ segwit, signers }: Wallet, inputs: InputSizes, outputs: OutputSizes): boolean {
  if (unsignedSize(inputs, outputs) > MAX_SIZE) return true;
  return signers !== undefined && builtVirtualSize(segwit, inputs, outputs, signers) > MAX_VIRTUAL_SIZE;
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
