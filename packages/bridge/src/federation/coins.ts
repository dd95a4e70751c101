import { equalBytes } from "@cambium/primitives";
import { isCoinbase, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import type { Utxo } from "../model/utxo.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { CoinList } from "../storage/coin-list.js";
import { activeSpender, inspectOutputs, retiringSpender, type Spender } from "./spending.js";

/** The active federation's UTXOs: in the old federation's cell until the new one is active (`spec/06b-2 §1.6`). */
export function activeCoins(session: BridgeSession): CoinList {
  const { storage, activeFederation } = session;
  const isOld = activeFederation === storage.oldFederation && activeFederation !== storage.newFederation;
  return CoinList.load(session, isOld ? CELLS.oldFederationUtxos : storage.newFederationUtxosKey);
}

/** Returns the coins of the retiring federation. Call this only while there is one. */
export function retiringCoins(session: BridgeSession): CoinList {
  return CoinList.load(session, CELLS.oldFederationUtxos);
}

/** Outputs of a transaction that pay to a script, as UTXOs in output order. */
export function coinsPaying(transaction: ParentTransaction, script: Uint8Array): Utxo[] {
  const txid = transactionId(transaction);
  const coinbase = isCoinbase(transaction);
  return transaction.outputs.flatMap((output, index) =>
    equalBytes(output.script, script)
      ? [{ txid, index, value: output.value, script: output.script, height: 0, coinbase }]
      : [],
  );
}

function coinsOf(transaction: ParentTransaction, spender: Spender): Utxo[] {
  return coinsPaying(transaction, spender.outputScript);
}

/** Adds the outputs that pay to the live federations (`spec/06b-3 §2.2`). Throws as {@link inspectOutputs} does. */
export function registerCoins(session: BridgeSession, transaction: ParentTransaction): void {
  inspectOutputs(transaction);
  activeCoins(session).add(coinsOf(transaction, activeSpender(session)));
  const retiring = retiringSpender(session);
  if (retiring !== undefined) retiringCoins(session).add(coinsOf(transaction, retiring));
}
