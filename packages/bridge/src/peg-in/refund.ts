import { equalBytes } from "@cambium/primitives";
import { outputScriptOf, type ParentAddress } from "../bitcoin/address.js";
import { parseScript } from "../bitcoin/script.js";
import { isCoinbase, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import type { Signers } from "../federation/spending.js";
import type { Utxo } from "../model/utxo.js";
import { buildEmptyWallet } from "../release-builder/release-builder.js";
import { spendableRedeem } from "../release-builder/wallet.js";
import { feePerKb } from "../releases/fees.js";
import { UnconfirmedReleases } from "../releases/release-lists.js";
import { releaseVersion } from "../releases/release-version.js";
import { announce, awaitConfirmations } from "../releases/settle.js";
import type { BridgeSession } from "../session.js";

// Refunds to the sender: spec/06b-3 §3.4, §9.

/** An output script that the bridge can spend, with its redeem script. */
export interface Payee {
  readonly outputScript: Uint8Array;
  readonly redeem: Uint8Array;
  readonly segwit: boolean;
  /** Signers of the federation, whose redeem script may differ. */
  readonly signers: Signers;
  /** Undefined if no spending input can be built. */
  readonly defaultRedeem: Uint8Array | undefined;
}

/** Outputs that pay to any of the payees, as UTXOs. */
export function paidTo(transaction: ParentTransaction, payees: readonly Payee[]): Utxo[] {
  const txid = transactionId(transaction);
  const coinbase = isCoinbase(transaction);
  return transaction.outputs.flatMap(({ value, script }, index) =>
    payeeOf(payees, script) === undefined ? [] : [{ txid, index, value, script, height: 0, coinbase }],
  );
}

function payeeOf(payees: readonly Payee[], script: Uint8Array): Payee | undefined {
  return payees.find((payee) => equalBytes(payee.outputScript, script));
}

/**
 * The first payee that an output pays to; all inputs use its form. Outputs are read in order, and the call fails if an
 * earlier output's script cannot be parsed.
 */
function firstPaid({ outputs }: ParentTransaction, payees: readonly Payee[]): Payee | undefined {
  return payees.find((payee) =>
    outputs.some(({ script }) => {
      parseScript(script);
      return equalBytes(script, payee.outputScript);
    }),
  );
}

/**
 * Creates the transaction that refunds everything. It is stored under `key` until it is confirmed. Does nothing if the
 * amount does not cover the fee. `total` is the amount in the event, in satoshi. Throws {@link BridgeError} if an
 * output cannot be parsed.
 */
export function refund(
  session: BridgeSession,
  transaction: ParentTransaction,
  payees: readonly Payee[],
  to: ParentAddress,
  key: Uint8Array,
  total: bigint,
): void {
  const coins = paidTo(transaction, payees);
  const form = firstPaid(transaction, payees) ?? session.fail("refund", "no output pays a live federation");
  const wallet = {
    coins: coins.filter((coin) => !coin.coinbase),
    segwit: form.segwit,
    signers: session.rules.rskip378 ? form.signers : undefined,
    redeemOf: ({ script }: Utxo) => spendableRedeem(payeeOf(payees, script)!),
  };
  const result = buildEmptyWallet(wallet, outputScriptOf(to), feePerKb(session), releaseVersion(session));
  if (result.code !== "SUCCESS") return;
  const txid = transactionId(result.transaction);
  awaitConfirmations(session, UnconfirmedReleases.load(session), result.transaction, key);
  pegEvents.releaseRequested(session, key, txid, total);
  announce(
    session,
    txid,
    result.spent.map((coin) => coin.value),
  );
}
