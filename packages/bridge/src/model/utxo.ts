import { concatBytes, decodeRlpList, encodeRlp } from "@cambium/primitives";
import { BridgeError } from "../errors.js";

/** A UTXO of a federation: `spec/06b-1 §2.3`. */
export interface Utxo {
  /** Id of the transaction that created it, in display order. */
  readonly txid: Uint8Array;
  readonly index: number;
  /** Satoshi. */
  readonly value: bigint;
  readonly script: Uint8Array;
  /** The deployed client always writes 0 here. */
  readonly height: number;
  /** Coinbase outputs are never spent (`spec/06b-3 §2.2`, quirk). */
  readonly coinbase: boolean;
}

const HEAD = 12;
const TAIL = 41;

function encodeUtxo({ txid, index, value, script, height, coinbase }: Utxo): Uint8Array {
  const head = new DataView(new ArrayBuffer(HEAD));
  head.setBigInt64(0, value, true);
  head.setUint32(8, script.length, true);
  const tail = new DataView(new ArrayBuffer(TAIL - 32));
  tail.setUint32(0, index, true);
  tail.setUint32(4, height, true);
  tail.setUint8(8, coinbase ? 1 : 0);
  return concatBytes(new Uint8Array(head.buffer), script, txid, new Uint8Array(tail.buffer));
}

function decodeUtxo(bytes: Uint8Array): Utxo {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length < HEAD ? HEAD : HEAD + view.getUint32(8, true);
  if (bytes.length < end + TAIL) throw new BridgeError({ code: "STORED_LIST", what: "UTXO" });
  return {
    value: view.getBigInt64(0, true),
    script: bytes.subarray(HEAD, end),
    txid: bytes.subarray(end, end + 32),
    index: view.getUint32(end + 32, true),
    height: view.getUint32(end + 36, true),
    coinbase: view.getUint8(end + 40) !== 0,
  };
}

export function encodeUtxos(utxos: readonly Utxo[]): Uint8Array {
  return encodeRlp(utxos.map(encodeUtxo));
}

/** Throws {@link BridgeError} `STORED_LIST` or `RlpError`. */
export function decodeUtxos(cell: Uint8Array): Utxo[] {
  return decodeRlpList(cell).map((item) => decodeUtxo(item.bytes));
}

/** Total value of the spendable UTXOs. */
export function balanceOf(utxos: readonly Utxo[]): bigint {
  return utxos.reduce((sum, utxo) => (utxo.coinbase ? sum : sum + utxo.value), 0n);
}
