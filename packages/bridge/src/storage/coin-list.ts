import { equalBytes } from "@cambium/primitives";
import type { ParentInput } from "../bitcoin/transaction.js";
import { decodeUtxos, encodeUtxos, type Utxo } from "../model/utxo.js";
import type { BridgeSession } from "../session.js";
import { DecodedCells } from "./decoded-cells.js";

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
