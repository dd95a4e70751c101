import { BRIDGE_CELLS, BRIDGE_METHODS } from "@cambium/bridge";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig } from "@cambium/config";
import { FrameFailure, nativeFailure } from "@cambium/evm";
import {
  type AbiType,
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
import type { NativeContract } from "@cambium/state";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { allNativeContracts } from "../../src/index.js";

/** A member of the federation of the local network, which may call every method. */
const FEDERATOR = secp256k1.publicKey(keccak256(utf8("federator1")));
const SENDER = publicKeyToAddress(FEDERATOR);
/** Calls that cost more are not executed: a block has no gas for them. */
const GAS_OF_A_BLOCK = 6_800_000;

/** Gas, then execution: a call fails with an error that the interpreter knows, or returns. */
function call(contract: NativeContract, network: NetworkConfig, number: number, data: Uint8Array): void {
  const state = emptyState();
  state.addBalance(BRIDGE_ADDRESS, 10n ** 24n);
  const { context } = recordCall({
    network,
    state,
    block: { number, timestamp: 1_700_000_000n },
    transaction: { sender: SENDER, signerKey: () => FEDERATOR, isLocalCall: data.length % 2 === 0 },
    call: { value: BigInt(data.length) },
  });
  if (!contract.isActive(context.rules) || data.length > (contract.maxInput ?? Number.POSITIVE_INFINITY)) return;
  try {
    if (contract.gas(data.length === 0 ? null : data, context) > GAS_OF_A_BLOCK) return;
    contract.execute(data.length === 0 ? null : data, context);
  } catch (error) {
    // Rethrows what is not a failure of the call.
    if (!(nativeFailure(contract, error) instanceof FrameFailure)) throw error;
  }
}

function target(contract: NativeContract, seeds: () => Uint8Array[], words: FuzzTarget["words"] = []): FuzzTarget {
  return {
    seeds,
    words,
    share: contract.name === "bridge" ? 8 : 1,
    maxLength: 200_000,
    run(input) {
      call(contract, local, 10, input);
      call(contract, main, 700_000, input);
    },
  };
}

/** A value of a type that means something to the bridge. */
function exampleOf({ name }: AbiType): AbiValue {
  if (name.endsWith("[]")) return [exampleOf({ name: name.slice(0, -2) } as AbiType)];
  if (name === "bytes")
    return fromHex(
      `0100000001${"11".repeat(32)}0000000000ffffffff01e8030000000000001976a914${"22".repeat(20)}88ac00000000`,
    );
  if (name === "string") return "mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8";
  if (name === "bool") return true;
  if (name === "address") return SENDER;
  return name.startsWith("bytes") ? new Uint8Array(32) : 1n;
}

function callOf({ selector, inputs }: ReturnType<typeof abiFunction>): Uint8Array {
  return concatBytes(fromHex(selector), encodeValues(inputs, inputs.map(exampleOf)));
}

const FUNCTIONS: Readonly<Record<string, readonly ReturnType<typeof abiFunction>[]>> = {
  bridge: BRIDGE_METHODS.map(({ definition }) => definition),
  HDWalletUtils: [
    abiFunction("toBase58Check", ["bytes", "int256"], []),
    abiFunction("deriveExtendedPublicKey", ["string", "string"], []),
    abiFunction("extractPublicKeyFromExtendedPublicKey", ["string"], []),
    abiFunction("getMultisigScriptHash", ["int256", "bytes[]"], []),
  ],
  BlockHeader: [
    ...["getCoinbaseAddress", "getBlockHash", "getMergedMiningTags", "getMinGasPrice", "getGasLimit", "getGasUsed"],
    ...["getDifficulty", "getBitcoinHeader", "getDifficultyWithUncles", "getCumulativeWork"],
  ].map((name) => abiFunction(name, ["int256"], [])),
};

/** Words at which the arithmetic of precompiled contracts branches: moduli, orders and points of the curves. */
const WORDS = [
  "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
  "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
  "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
  "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
  "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
].map(fromHex);
const G2 = fromHex(
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
);
const NUMBER = (value: number) => concatBytes(new Uint8Array(31), Uint8Array.of(value));

/** Input of the precompiled contracts: points, a signature, a power, rounds of BLAKE2. */
const INPUTS: readonly Uint8Array[] = [
  concatBytes(NUMBER(1), NUMBER(2), NUMBER(1), NUMBER(2)),
  concatBytes(NUMBER(1), NUMBER(2), G2),
  concatBytes(WORDS[0]!, NUMBER(27), WORDS[4]!, NUMBER(1)),
  concatBytes(NUMBER(1), NUMBER(1), NUMBER(1), Uint8Array.of(3, 5, 7)),
  concatBytes(NUMBER(33), NUMBER(2), NUMBER(32), WORDS[1]!, Uint8Array.of(9), Uint8Array.of(1, 0), WORDS[2]!),
  concatBytes(fromHex("0000000c"), new Uint8Array(208), Uint8Array.of(1)),
  concatBytes(WORDS[4]!, WORDS[5]!, NUMBER(7)),
];

function targetOf(contract: NativeContract): FuzzTarget {
  const functions = FUNCTIONS[contract.name];
  if (functions === undefined) return target(contract, () => [...INPUTS], WORDS);
  const words = [...functions.map(({ selector }) => fromHex(selector)), ...Object.values(BRIDGE_CELLS)];
  return target(contract, () => functions.map(callOf), words);
}

export const targets: Readonly<Record<string, FuzzTarget>> = Object.fromEntries(
  allNativeContracts(local).map((contract) => [`native-${contract.name}`, targetOf(contract)]),
);
