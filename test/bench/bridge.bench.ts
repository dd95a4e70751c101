import { BRIDGE_CELLS, createBridgeContract, encodeUtxos, type Utxo } from "@cambium/bridge";
import { BRIDGE_ADDRESS, local } from "@cambium/config";
import {
  type AbiValue,
  abiFunction,
  concatBytes,
  encodeValues,
  fromHex,
  keccak256,
  publicKeyToAddress,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { mineParentHeaders } from "./rehearsal/parent-headers.js";

type Print = (name: string, value: number, unit: string) => void;

const COINS = 10_000;
const HEADERS = 10_000;
const HEADERS_A_CALL = 500;
const SATOSHI = 10n ** 10n;

/** A member of the local network's first federation. */
const FEDERATOR = secp256k1.publicKey(keccak256(utf8("federator1")));
/** Output script of that federation. */
const FEDERATION = fromHex("a91422a65d9485781e6cdc0e49fc405ba628365e28c787");

const contract = createBridgeContract();
const updateCollections = abiFunction("updateCollections", [], []);
const receiveHeaders = abiFunction("receiveHeaders", ["bytes[]"], []);

/** Milliseconds of a call by the federator. */
function call(state: JournaledState, number: number, data: Uint8Array, value = 0n): number {
  const { context } = recordCall({
    network: local,
    state,
    block: { number },
    transaction: { sender: publicKeyToAddress(FEDERATOR), signerKey: () => FEDERATOR, hash: keccak256(data) },
    call: { value },
  });
  const start = performance.now();
  contract.execute(data, context);
  return performance.now() - start;
}

function encode(method: typeof updateCollections, ...args: readonly AbiValue[]): Uint8Array {
  return concatBytes(fromHex(method.selector), encodeValues(method.inputs, args));
}

/**
 * Measures a federation with many UTXOs: the cost of a call without peg-out requests, and of a call that pays a
 * request.
 */
function benchUpdateCollections(print: Print): void {
  const state = emptyState();
  state.addBalance(BRIDGE_ADDRESS, 21_000_000n * 10n ** 18n);
  const coins = Array.from({ length: COINS }, (_, index): Utxo => {
    return {
      txid: keccak256(utf8(`${index}`)),
      index,
      value: 1_000_000n,
      script: FEDERATION,
      height: 0,
      coinbase: false,
    };
  });
  state.setStorageBytes(BRIDGE_ADDRESS, BRIDGE_CELLS.newFederationUtxos, encodeUtxos(coins));
  print(`updateCollections over ${COINS} coins`, call(state, 100, encode(updateCollections)), "ms");
  call(state, 101, new Uint8Array(0), 500_000_000n * SATOSHI);
  print(`updateCollections paying from ${COINS} coins`, call(state, 200, encode(updateCollections)), "ms");
}

function benchReceiveHeaders(print: Print): void {
  const state = emptyState();
  const parents = mineParentHeaders();
  const headers = Array.from({ length: HEADERS }, () => parents.next().value);
  let milliseconds = 0;
  for (let at = 0; at < HEADERS; at += HEADERS_A_CALL) {
    milliseconds += call(state, 1, encode(receiveHeaders, headers.slice(at, at + HEADERS_A_CALL)));
  }
  print(`receiveHeaders of ${HEADERS} headers`, (HEADERS * 1000) / milliseconds, "headers/s");
}

/** Measures the bridge's most expensive calls. */
export async function run(print: Print): Promise<void> {
  benchUpdateCollections(print);
  benchReceiveHeaders(print);
}
