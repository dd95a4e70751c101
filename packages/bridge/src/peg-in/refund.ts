import { equalBytes } from "@cambium/primitives";
import { outputScriptOf, type ParentAddress } from "../bitcoin/address.js";
import { parseScript } from "../bitcoin/script.js";
import { isCoinbase, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { feePerKb } from "../peg-out/fees.js";
import { UnconfirmedReleases } from "../peg-out/release-lists.js";
import { releaseVersion } from "../peg-out/release-version.js";
import { announce, awaitConfirmations } from "../peg-out/settle.js";
import { buildEmptyWallet } from "../release-builder/release-builder.js";
import { spendableRedeem } from "../release-builder/wallet.js";
import type { BridgeSession } from "../session.js";
import type { Utxo } from "../storage/utxo.js";

// Coins that go back to where they came from: spec/06b-3 §3.4, §9.

/** An output script that the bridge can spend from, and how. */
export interface Payee {
  readonly outputScript: Uint8Array;
  readonly redeem: Uint8Array;
  readonly segwit: boolean;
  /** Undefined where no spending can be built. */
  readonly defaultRedeem: Uint8Array | undefined;
}

/** What a transaction pays to any of the payees, as coins. */
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
 * First payee that an output pays; its form is that of every input. Outputs are read in order, and one whose script does
 * not parse, met before, fails the call.
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
 * Creates the transaction that gives everything back, to wait for confirmations under `key`. Nothing happens when the
 * amount does not bear the fee. `total` is what the event tells in satoshi. Throws {@link BridgeError} on an output that
 * does not parse.
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
