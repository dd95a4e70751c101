import { compareBytes, equalBytes, toHex } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import { flyoverRedeem } from "../bitcoin/flyover-script.js";
import { isScriptHashOutput } from "../bitcoin/script.js";
import { BridgeError } from "../errors.js";
import { activeCoins } from "../federation/coins.js";
import { activeSpender, type Signers, type Spender } from "../federation/spending.js";
import { decodeItems } from "../model/codecs.js";
import type { Utxo } from "../model/utxo.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import { CoinSequence } from "./coin-sequence.js";

/** UTXOs that a transaction may spend, with their redeem scripts: `spec/06b-3 §6.2`. */
export interface Wallet {
  /** Spendable UTXOs in list order. */
  readonly coins: readonly Utxo[];
  readonly segwit: boolean;
  /** Federation whose signatures count towards the size limit, from RSKIP-378 on. */
  readonly signers: Signers | undefined;
  /** The redeem script of a UTXO. Throws {@link BridgeError} `UNSPENDABLE_COIN` if there is none. */
  redeemOf(utxo: Utxo): Uint8Array;
}

export function flyoverInformationCell(hash: Uint8Array): Uint8Array {
  return compoundCell("fastBridgeFederationInformation", toHex(hash));
}

/** Addresses of these cells by output script, cached because every fee estimate needs those of the UTXOs again. */
const informationCells = new WeakMap<Uint8Array, Uint8Array>();

function informationCellOf(script: Uint8Array): Uint8Array {
  let cell = informationCells.get(script);
  if (cell === undefined) informationCells.set(script, (cell = flyoverInformationCell(script.subarray(2, 22))));
  return cell;
}

/** How to spend from a flyover address. */
interface FlyoverInformation {
  /** Prefix of the redeem script. */
  readonly derivation: Uint8Array;
  /** Hash in the output script of the federation that it belongs to. */
  readonly federation: Uint8Array;
  /** The redeem script, by federation. */
  readonly redeems: WeakMap<Spender, Uint8Array>;
}

/** Decoded cells. A state returns the same bytes as long as a cell does not change. */
const flyovers = new WeakMap<Uint8Array, FlyoverInformation>();

function flyoverOf(cell: Uint8Array): FlyoverInformation {
  const known = flyovers.get(cell);
  if (known !== undefined) return known;
  const [derivation, federation] = decodeItems(cell, 2, "flyover federation");
  const decoded = { derivation: derivation!.bytes, federation: federation!.bytes, redeems: new WeakMap() };
  flyovers.set(cell, decoded);
  return decoded;
}

function flyoverRedeemOf({ derivation, redeems }: FlyoverInformation, spender: Spender): Uint8Array {
  let redeem = redeems.get(spender);
  if (redeem === undefined) redeems.set(spender, (redeem = flyoverRedeem(derivation, spender.redeem)));
  return redeem;
}

/**
 * Redeem script of a P2SH output of one of the federations, or of a flyover address stored as belonging to one.
 * Undefined for any other output.
 */
export function redeemOfOutput(
  { storage, rules }: BridgeSession,
  spenders: readonly Spender[],
  script: Uint8Array,
): Uint8Array | undefined {
  if (!isScriptHashOutput(script)) return undefined;
  const cell = rules.rskip176 ? storage.read(informationCellOf(script)) : undefined;
  const flyover = cell === undefined ? undefined : flyoverOf(cell);
  const wanted = flyover?.federation ?? script.subarray(2, 22);
  const spender = spenders.find((candidate) => equalBytes(candidate.hash, wanted));
  if (spender === undefined) return undefined;
  return flyover === undefined ? spender.redeem : flyoverRedeemOf(flyover, spender);
}

/** The UTXOs that may be spent, by the list of all. */
const spendable = new WeakMap<readonly Utxo[], readonly Utxo[]>();

function spendableOf(utxos: readonly Utxo[]): readonly Utxo[] {
  let coins = spendable.get(utxos);
  if (coins === undefined) spendable.set(utxos, (coins = utxos.filter((utxo) => !utxo.coinbase)));
  return coins;
}

/** Wallet of a federation, which caches the redeem scripts that it has found. */
class FederationWallet implements Wallet {
  readonly coins: readonly Utxo[];
  readonly segwit: boolean;
  private readonly redeems = new Map<string, Uint8Array>();

  constructor(
    public session: BridgeSession,
    readonly spender: Spender,
    utxos: readonly Utxo[],
  ) {
    this.coins = spendableOf(utxos);
    this.segwit = spender.segwit;
  }

  get signers(): Signers | undefined {
    return this.session.rules.rskip378 ? this.spender.signers : undefined;
  }

  redeemOf({ script }: Utxo): Uint8Array {
    const key = toHex(script);
    let redeem = this.redeems.get(key);
    if (redeem === undefined) this.redeems.set(key, (redeem = redeemOfCoin(this.session, this.spender, script)));
    return redeem;
  }
}

/** Wallets by state and list of UTXOs, cached because any caller may request many fee estimates of one state. */
const wallets = new WeakMap<WorldState, WeakMap<readonly Utxo[], FederationWallet>>();

/**
 * Returns a federation's UTXOs, including those at its flyover addresses. Calls on one state share the result: the data
 * of a flyover address are written with its first UTXO, and neither changed nor removed.
 */
export function federationWallet(session: BridgeSession, spender: Spender, utxos: readonly Utxo[]): Wallet {
  const { state } = session.context;
  let known = wallets.get(state);
  if (known === undefined) wallets.set(state, (known = new WeakMap()));
  let wallet = known.get(utxos);
  if (wallet?.spender !== spender) known.set(utxos, (wallet = new FederationWallet(session, spender, utxos)));
  wallet.session = session;
  return wallet;
}

/** The active federation's UTXOs. */
export function activeWallet(session: BridgeSession): Wallet {
  return federationWallet(session, activeSpender(session), activeCoins(session).coins);
}

function redeemOfCoin(session: BridgeSession, spender: Spender, script: Uint8Array): Uint8Array {
  const redeem = redeemOfOutput(session, [spender], script);
  if (redeem === undefined) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
  return spendableRedeem({ redeem, defaultRedeem: spender.defaultRedeem });
}

/**
 * Returns a redeem script for which an input can be built. Throws {@link BridgeError} `UNSPENDABLE_COIN` for the script
 * without a members' part, even behind a flyover prefix, because its number of required signatures is unknown.
 */
export function spendableRedeem({ redeem, defaultRedeem }: Pick<Spender, "redeem" | "defaultRedeem">): Uint8Array {
  if (defaultRedeem === undefined) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
  return redeem;
}

/** Lists in order, which do not change. */
const ordered = new WeakMap<readonly Utxo[], CoinSequence>();

/** UTXOs in the order of selection: by id in display order, then by index. */
export function inSpendingOrder(coins: readonly Utxo[]): CoinSequence {
  let sequence = ordered.get(coins);
  if (sequence === undefined) ordered.set(coins, (sequence = new CoinSequence(sort(coins))));
  return sequence;
}

function sort(coins: readonly Utxo[]): Utxo[] {
  // The first bytes decide nearly every comparison, and comparing them as a number avoids a copy.
  const keyed = coins.map((coin) => {
    const { txid } = coin;
    const head = ((txid[0]! * 256 + txid[1]!) * 256 + txid[2]!) * 256 + txid[3]!;
    return { head, coin };
  });
  keyed.sort((a, b) => a.head - b.head || compareBytes(a.coin.txid, b.coin.txid) || a.coin.index - b.coin.index);
  return keyed.map(({ coin }) => coin);
}
