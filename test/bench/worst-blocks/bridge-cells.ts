import {
  BRIDGE_CELLS,
  createBridgeContract,
  encodeUtxos,
  flyoverInformationCell,
  redeemHash,
  scriptHashOutput,
  type Utxo,
} from "@cambium/bridge";
import { BRIDGE_ADDRESS, type GenesisAccount } from "@cambium/config";
import {
  abiFunction,
  bigintToFixedBytes,
  bytesToBigint,
  encodeRlp,
  fromHex,
  keccak256,
  publicKeyToAddress,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { mainOfToday } from "./network.js";

const COINS = 5_000;
/**
 * Number of coins that were paid to flyover addresses, each to a different one: the lowest of the peg-ins, which are
 * spent first.
 */
const FLYOVERS = 700;
const REQUESTS = 300;
const SATOSHI = 10n ** 10n;

const BEST_HEIGHT = fromHex(abiFunction("getBtcBlockchainBestChainHeight", [], ["int256"]).selector);
const REDEEM_SCRIPT = fromHex(abiFunction("getActivePowpegRedeemScript", [], ["bytes"]).selector);

/**
 * Returns the bridge with many coins, some of which need separate scripts, with queued peg-out requests, and with the
 * first block of its parent chain.
 */
export function busyBridge(): GenesisAccount {
  const network = mainOfToday([]);
  const contract = createBridgeContract();
  const state = emptyState();
  const balance = 21_000_000n * 10n ** 18n;
  state.addBalance(BRIDGE_ADDRESS, balance);
  const federation = redeemHash(
    activeRedeemScript(contract.execute(REDEEM_SCRIPT, recordCall({ network, state, block: { number: 1 } }).context)!),
    false,
  );
  state.setStorageBytes(BRIDGE_ADDRESS, BRIDGE_CELLS.newFederationUtxos, encodeUtxos(coins(federation)));
  for (let i = 0; i < FLYOVERS; i++) {
    const derivation = keccak256(utf8(`terms ${i}`));
    state.setStorageBytes(BRIDGE_ADDRESS, flyoverInformationCell(flyoverHash(i)), encodeRlp([derivation, federation]));
  }
  contract.execute(BEST_HEIGHT, recordCall({ network, state, block: { number: 1 } }).context);
  for (let i = 0; i < REQUESTS; i++) {
    const key = secp256k1.publicKey(keccak256(utf8(`user ${i}`)));
    const transaction = {
      sender: publicKeyToAddress(key),
      signerKey: () => key,
      hash: keccak256(utf8(`request ${i}`)),
    };
    const call = { value: 500_000n * SATOSHI };
    const { context } = recordCall({ network, state, block: { number: 1 }, transaction, call });
    contract.execute(null, context);
  }
  const storage = [...state.storageCells(BRIDGE_ADDRESS)].map(([slot, value]) => ({
    slot: bigintToFixedBytes(slot, 32),
    value,
  }));
  return { address: BRIDGE_ADDRESS, balance, storage };
}

/** Returns the bytes of an answer of type `bytes`. */
function activeRedeemScript(output: Uint8Array): Uint8Array {
  const length = Number(bytesToBigint(output.subarray(32, 64)));
  return output.slice(64, 64 + length);
}

function flyoverHash(index: number): Uint8Array {
  return keccak256(utf8(`flyover ${index}`)).slice(0, 20);
}

function coins(federation: Uint8Array): Utxo[] {
  return Array.from({ length: COINS }, (_, index) => ({
    txid: txidOf(index),
    index,
    value: 1_000_000n + BigInt(index),
    script: scriptHashOutput(index < FLYOVERS ? flyoverHash(index) : federation),
    height: 0,
    coinbase: false,
  }));
}

/** Returns an id. Coins are spent in the order of their ids, read backwards. */
function txidOf(index: number): Uint8Array {
  return bigintToFixedBytes(BigInt(index), 32);
}
