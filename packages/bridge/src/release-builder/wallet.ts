import { compareBytes, decodeRlpList, equalBytes, toHex } from "@cambium/primitives";
import { isScriptHashOutput } from "../bitcoin/script.js";
import { BridgeError } from "../errors.js";
import type { Spender } from "../federation/spending.js";
import { flyoverRedeem } from "../flyover/flyover-script.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import type { Utxo } from "../storage/utxo.js";

/** UTXOs that a transaction may spend, with their redeem scripts: `spec/06b-3 §6.2`. */
export interface Wallet {
  /** Spendable UTXOs in list order. */
  readonly coins: readonly Utxo[];
  readonly segwit: boolean;
  /** The redeem script of a UTXO. Throws {@link BridgeError} `UNSPENDABLE_COIN` if there is none. */
  redeemOf(utxo: Utxo): Uint8Array;
}

export function flyoverInformationCell(hash: Uint8Array): Uint8Array {
  return compoundCell("fastBridgeFederationInformation", toHex(hash));
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
  const hash = script.subarray(2, 22);
  const information = rules.rskip176 ? storage.read(flyoverInformationCell(hash)) : undefined;
  const [derivation, federation] = information === undefined ? [] : decodeRlpList(information);
  const wanted = federation?.bytes ?? hash;
  const spender = spenders.find((candidate) => equalBytes(candidate.hash, wanted));
  if (spender === undefined) return undefined;
  return derivation === undefined ? spender.redeem : flyoverRedeem(derivation.bytes, spender.redeem);
}

/** A federation's UTXOs, including those at its flyover addresses. */
export function federationWallet(session: BridgeSession, spender: Spender, utxos: readonly Utxo[]): Wallet {
  const redeems = new Map<string, Uint8Array>();
  return {
    coins: utxos.filter((utxo) => !utxo.coinbase),
    segwit: spender.segwit,
    redeemOf({ script }) {
      const key = toHex(script);
      let redeem = redeems.get(key);
      if (redeem === undefined) redeems.set(key, (redeem = redeemOfCoin(session, spender, script)));
      return redeem;
    },
  };
}

function redeemOfCoin(session: BridgeSession, spender: Spender, script: Uint8Array): Uint8Array {
  const redeem = redeemOfOutput(session, [spender], script);
  if (redeem === undefined) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
  return spendableRedeem({ redeem, defaultRedeem: spender.defaultRedeem });
}

/**
 * A redeem script for which an input can be built. Throws {@link BridgeError} `UNSPENDABLE_COIN` for the script without
 * a members' part, also behind a flyover prefix, because its number of required signatures is unknown.
 */
export function spendableRedeem({ redeem, defaultRedeem }: Pick<Spender, "redeem" | "defaultRedeem">): Uint8Array {
  if (defaultRedeem === undefined) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
  return redeem;
}

/** Sorts UTXOs in the order of selection: by id in display order, then by index. */
export function inSpendingOrder(coins: readonly Utxo[]): Utxo[] {
  // The first bytes decide nearly every comparison, and comparing them as a number avoids a copy.
  const keyed = coins.map((coin) => {
    const { txid } = coin;
    const head = ((txid[0]! * 256 + txid[1]!) * 256 + txid[2]!) * 256 + txid[3]!;
    return { head, coin };
  });
  keyed.sort((a, b) => a.head - b.head || compareBytes(a.coin.txid, b.coin.txid) || a.coin.index - b.coin.index);
  return keyed.map(({ coin }) => coin);
}
