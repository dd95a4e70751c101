import { outputLength, type ParentOutput, type ParentTransaction } from "../bitcoin/transaction.js";
import type { Utxo } from "../model/utxo.js";
import { CoinSequence } from "./coin-sequence.js";
import { isDust } from "./dust.js";
import { totalsOf } from "./output-totals.js";
import {
  type BuildFailure,
  baseInput,
  type FeeTerms,
  feeFor,
  inputSizes,
  isTooBig,
  MINIMUM_FEE,
  planRelease,
} from "./release-plan.js";
import { inSpendingOrder, type Wallet } from "./wallet.js";

// Builds transactions that spend from a federation's wallet: spec/06b-3 §6.3, §6.4.

const SEQUENCE = 0xffffffff;

export interface Built {
  readonly code: "SUCCESS";
  readonly transaction: ParentTransaction;
  /** The spent UTXOs, in input order. */
  readonly spent: readonly Utxo[];
}

export type BuildResult = Built | { readonly code: BuildFailure };

export interface ReleaseTerms extends FeeTerms {
  readonly outputs: readonly ParentOutput[];
  readonly version: number;
}

/** Pays the requested outputs, spending as few UTXOs as their order allows. */
export function buildRelease(wallet: Wallet, terms: ReleaseTerms): BuildResult {
  const coins = inSpendingOrder(wallet.coins);
  const plan = planRelease(wallet, coins, totalsOf(terms.outputs), terms);
  if (typeof plan === "string") return { code: plan };
  const { share, remainder, change } = plan;
  const outputs = terms.outputs.map(({ value, script }, i) => {
    return { value: value - share - (i === 0 ? remainder : 0n), script };
  });
  if (change > 0n) outputs.push({ value: change, script: terms.changeScript });
  return build(wallet, coins.coins.slice(0, plan.inputs), outputs, terms.version);
}

/** Sends all UTXOs to one script, minus the fee. */
export function buildEmptyWallet(wallet: Wallet, script: Uint8Array, feePerKb: bigint, version: number): BuildResult {
  const coins = new CoinSequence(wallet.coins);
  const count = wallet.coins.length;
  const total = coins.valueOf(count);
  const inputs = inputSizes(wallet, coins, count);
  const outputs = { count: 1, length: outputLength({ script }) };
  const rated = feeFor(wallet, inputs, outputs, feePerKb);
  const output = { value: total - (rated > MINIMUM_FEE ? rated : MINIMUM_FEE), script };
  if (isDust(output)) return { code: "COULD_NOT_ADJUST" };
  return isTooBig(wallet, inputs, outputs) ? { code: "TOO_BIG" } : build(wallet, wallet.coins, [output], version);
}

/** Makes the transaction, with unsigned inputs. */
function build(wallet: Wallet, spent: readonly Utxo[], outputs: readonly ParentOutput[], version: number): Built {
  const inputs = spent.map((coin) => ({
    txid: coin.txid,
    index: coin.index,
    sequence: SEQUENCE,
    ...baseInput(wallet.segwit, wallet.redeemOf(coin)),
  }));
  return { code: "SUCCESS", transaction: { version, inputs, outputs, lockTime: 0 }, spent };
}
