import { local, type NetworkConfig } from "@cambium/config";
import { keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import { mainOfToday } from "../worst-blocks/network.js";

/** Keys of the accounts that send transactions. */
export const SENDERS: readonly Uint8Array[] = Array.from({ length: 5_000 }, (_, i) => keccak256(utf8(`sender ${i}`)));
/** Key of a member of the local network's first federation. */
export const FEDERATOR = keccak256(utf8("federator1"));
const BALANCE = 10n ** 24n;
/** Number of blocks whose states remain readable, as on main. */
export const HISTORY = 90_000;

/**
 * Returns a private network with main's present rules and parameters. What differs can be produced without work: the
 * difficulty is 1, the parent chain is regtest, and the keys of the federation are known.
 */
export function rehearsalNetwork(): NetworkConfig {
  const accounts = [...SENDERS, FEDERATOR].map((key) => ({
    address: publicKeyToAddress(secp256k1.publicKey(key)),
    balance: BALANCE,
  }));
  const { publishedState: _, workCheckpoint: __, ...main } = mainOfToday(accounts);
  return {
    ...main,
    name: "rehearsal",
    chainId: 109,
    networkId: 109,
    deployedWire: { port: 50_530, bootNodes: [] },
    parentChain: "regtest",
    consensus: { ...main.consensus, minimumDifficulty: 1n },
    bridge: { ...main.bridge, genesisFederation: local.bridge.genesisFederation },
    genesis: { ...main.genesis, difficulty: Uint8Array.of(1) },
  };
}
