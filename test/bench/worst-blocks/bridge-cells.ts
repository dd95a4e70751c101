import { BRIDGE_CELLS, createBridgeContract, encodeUtxos, publicKeyHashOutput, type Utxo } from "@cambium/bridge";
import { BRIDGE_ADDRESS, type GenesisAccount } from "@cambium/config";
import {
  abiFunction,
  bigintToFixedBytes,
  fromHex,
  keccak256,
  publicKeyToAddress,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { mainOfToday } from "./network.js";

const COINS = 5_000;
const REQUESTS = 300;
const SATOSHI = 10n ** 10n;

const BEST_HEIGHT = fromHex(abiFunction("getBtcBlockchainBestChainHeight", [], ["int256"]).selector);

/** The bridge with many coins and queued peg-out requests, and the first block of its parent chain. */
export function busyBridge(): GenesisAccount {
  const network = mainOfToday([]);
  const contract = createBridgeContract();
  const state = emptyState();
  const balance = 21_000_000n * 10n ** 18n;
  state.addBalance(BRIDGE_ADDRESS, balance);
  state.setStorageBytes(BRIDGE_ADDRESS, BRIDGE_CELLS.newFederationUtxos, encodeUtxos(coins()));
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

function coins(): Utxo[] {
  const script = publicKeyHashOutput(new Uint8Array(20).fill(7));
  return Array.from({ length: COINS }, (_, index) => ({
    txid: keccak256(utf8(`coin ${index}`)),
    index,
    value: 1_000_000n + BigInt(index),
    script,
    height: 0,
    coinbase: false,
  }));
}
