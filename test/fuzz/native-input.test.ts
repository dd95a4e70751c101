import assert from "node:assert/strict";
import { createChainEvm } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { bigintToBytes, concatBytes, keccak256, publicKeyToAddress, secp256k1, toHex, utf8 } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, openState, setUpNativeContracts } from "@cambium/state";
import { runs } from "@cambium/test-utils/depth";
import { SEED } from "@cambium/test-utils/seed";
import { signTransaction } from "@cambium/types";
import { nativeCallData } from "./call-data.js";
import { RandomSource } from "./random-source.js";

// Tests native contracts, which see a view of their caller's memory that changes after the call.

const PROGRAMS = runs(60);
const CALLS = 30;
const GAS = 9_000_000n;
const GAS_OF_A_CALL = 250_000;

const network = NETWORKS.local;
const evm = createChainEvm(network);
const KEY = keccak256(utf8("caller of native contracts"));
const SENDER = publicKeyToAddress(secp256k1.publicKey(KEY));
const CONTRACT = new Uint8Array(20).fill(0xc0);
const hash = (height: number) => keccak256(utf8(String(height)));
const BLOCK: ExecutingBlock = {
  number: 2_000,
  timestamp: 1_700_000_000n,
  parentHash: hash(1_999),
  coinbase: SENDER,
  difficulty: 1n,
  gasLimit: 10_000_000n,
  minimumGasPrice: 0n,
  ancestors: { hash, header: () => undefined, uncles: () => undefined, totalDifficulty: () => undefined },
};

type Call = ReturnType<typeof nativeCallData>;

function push(value: number | Uint8Array): Uint8Array {
  const bytes = typeof value === "number" ? bigintToBytes(BigInt(value)) : value;
  return concatBytes(Uint8Array.of(0x5f + bytes.length), bytes);
}

/** Returns code that makes the calls, each with data at its position in memory, below `outputPlace`. */
function codeOf(calls: readonly Call[], placeOf: (index: number) => number, outputPlace: number): Uint8Array {
  const header = (offset: number) =>
    concatBytes(
      ...calls.map(({ to, data }, i) => {
        const start = offset + calls.slice(0, i).reduce((sum, call) => sum + call.data.length, 0);
        // Three bytes for any offset.
        const from = Uint8Array.of(0x62, start >> 16, (start >> 8) & 0xff, start & 0xff);
        const copy = concatBytes(push(data.length), from, push(placeOf(i)), Uint8Array.of(0x39));
        const operands = [0, 0, data.length, placeOf(i), 0].map(push);
        const call = concatBytes(...operands, push(to), push(GAS_OF_A_CALL), Uint8Array.of(0xf1, 0x50));
        // The output of the previous call is read once its input has been overwritten.
        return concatBytes(copy, storeOutput(i, outputPlace), call);
      }),
      Uint8Array.of(0x00),
    );
  return concatBytes(header(header(0).length), ...calls.map(({ data }) => data));
}

/** Returns code that stores the hash of the last output: RETURNDATASIZE, RETURNDATACOPY, SHA3, SSTORE. */
function storeOutput(cell: number, place: number): Uint8Array {
  const copy = concatBytes(Uint8Array.of(0x3d), push(0), push(place), Uint8Array.of(0x3e));
  return concatBytes(copy, Uint8Array.of(0x3d), push(place), Uint8Array.of(0x20), push(cell), Uint8Array.of(0x55));
}

/** Returns the effects of the calls: the root of the state, and the logs. */
function effects(code: Uint8Array): { root: string; logs: string[] } {
  const state = new JournaledState(openState());
  state.addBalance(SENDER, 10n ** 18n);
  setUpNativeContracts(state, network, 0);
  state.createAccount(CONTRACT);
  state.markContract(CONTRACT);
  // The code belongs to a library instead of the account, because it differs between the two ways to make the calls.
  const library = new Uint8Array(20).fill(0xc1);
  state.createAccount(library);
  state.setCode(library, code);
  state.setCode(CONTRACT, concatBytes(...[0, 0, 0, 0].map(push), push(library), Uint8Array.of(0x5a, 0xf4, 0x50)));
  const transaction = signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: GAS, to: CONTRACT }, KEY);
  const { logs } = evm.execute({
    transaction,
    index: 0,
    block: BLOCK,
    state,
    gasUsedBefore: 0n,
    listGasLimit: BLOCK.gasLimit,
    deletedInList: new Set(),
    creditFee: false,
  });
  state.deleteAccount(library);
  const texts = logs.map(({ topics, data }) => [...topics, data].map(toHex).join(" "));
  return { root: toHex(state.commit().root), logs: texts };
}

describe("the input of native contracts", () => {
  it(`is not kept: ${PROGRAMS * CALLS} calls with random data, SEED=${SEED}`, () => {
    const random = new RandomSource(SEED);
    for (let program = 0; program < PROGRAMS; program++) {
      const calls = Array.from({ length: CALLS }, () => nativeCallData(random));
      const longest = Math.max(...calls.map(({ data }) => data.length));
      const overwritten = effects(codeOf(calls, () => 0, calls.length * longest));
      const kept = effects(codeOf(calls, (index) => index * longest, calls.length * longest));
      assert.deepEqual(overwritten, kept, `program ${program}`);
    }
  });
});
