import { equalBytes } from "@cambium/primitives";
import { isCoinbase, type ParentInput, type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { activeSpender, inspectOutputs, retiringSpender, type Spender } from "../federation/spending.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "./cells.js";
import { DecodedCells } from "./decoded-cells.js";
import { decodeUtxos, encodeUtxos, type Utxo } from "./utxo.js";

const decoded = new DecodedCells<readonly Utxo[]>(decodeUtxos);

/** The UTXOs in one cell during a call. Once loaded, the list is saved at the end of the call. */
export class CoinList {
  private constructor(
    private readonly session: BridgeSession,
    private readonly key: Uint8Array,
    private list: readonly Utxo[],
  ) {}

  private static readonly loaded = new WeakMap<BridgeSession, Map<Uint8Array, CoinList>>();

  static load(session: BridgeSession, key: Uint8Array): CoinList {
    let lists = CoinList.loaded.get(session);
    if (lists === undefined) CoinList.loaded.set(session, (lists = new Map()));
    let list = lists.get(key);
    if (list === undefined) {
      lists.set(key, (list = new CoinList(session, key, decoded.of(session.storage.loadList(key)))));
    }
    return list;
  }

  /** UTXOs in insertion order. */
  get coins(): readonly Utxo[] {
    return this.list;
  }

  add(coins: readonly Utxo[]): void {
    if (coins.length > 0) this.replace([...this.list, ...coins]);
  }

  /** Removes the UTXOs that the inputs spend. */
  removeSpent(inputs: readonly ParentInput[]): void {
    this.replace(
      this.list.filter(
        ({ txid, index }) => !inputs.some((input) => input.index === index && equalBytes(input.txid, txid)),
      ),
    );
  }

  replace(coins: readonly Utxo[]): void {
    this.list = [...coins];
    this.session.storage.writeLater(this.key, () => encodeUtxos(this.list));
  }
}

/** The active federation's UTXOs: in the old federation's cell until the new one is active (`spec/06b-2 §1.6`). */
export function activeCoins(session: BridgeSession): CoinList {
  const { storage, activeFederation } = session;
  const isOld = activeFederation === storage.oldFederation && activeFederation !== storage.newFederation;
  return CoinList.load(session, isOld ? CELLS.oldFederationUtxos : storage.newFederationUtxosKey);
}

/** Must only be called while there is a retiring federation. */
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

export function coinsOf(transaction: ParentTransaction, spender: Spender): Utxo[] {
  return coinsPaying(transaction, spender.outputScript);
}

/** Adds the outputs that pay to the live federations (`spec/06b-3 §2.2`). Throws as {@link inspectOutputs} does. */
export function registerCoins(session: BridgeSession, transaction: ParentTransaction): void {
  inspectOutputs(transaction);
  activeCoins(session).add(coinsOf(transaction, activeSpender(session)));
  const retiring = retiringSpender(session);
  if (retiring !== undefined) retiringCoins(session).add(coinsOf(transaction, retiring));
}
