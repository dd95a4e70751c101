import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, type NetworkConfig } from "@cambium/config";
import {
  abiFunction,
  bytesToBigint,
  concatBytes,
  encodeRlp,
  encodeValues,
  fromHex,
  keccak256,
  utf8,
} from "@cambium/primitives";
import { JournaledState, type NativeCallContext, openState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { redeemHash, scriptHashOutput } from "../src/bitcoin/script.js";
import { redeemScript } from "../src/federation/script.js";
import { createBridgeContract, flyoverInformationCell } from "../src/index.js";
import { genesisFederation } from "../src/model/federation.js";
import { encodeUtxos } from "../src/model/utxo.js";
import { CELLS } from "../src/storage/cells.js";
import { DecodedCells } from "../src/storage/decoded-cells.js";

/** Counts the views that are made of it, and of them: decoding a list makes one for every item. */
class CountedBytes extends Uint8Array {
  static views = 0;

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    CountedBytes.views++;
    return super.subarray(begin, end);
  }
}

/** Number of views that an action makes. */
function viewsOf(action: () => void): number {
  const before = CountedBytes.views;
  action();
  return CountedBytes.views - before;
}

const NETWORK: NetworkConfig = local;
const BLOCK = 100;

function contextOf(state: JournaledState): NativeCallContext {
  return recordCall({ network: NETWORK, state, block: { number: BLOCK } }).context;
}

function encode(name: string, inputs: string[], ...values: Parameters<typeof encodeValues>[1]): Uint8Array {
  const definition = abiFunction(name, inputs, []);
  return concatBytes(fromHex(definition.selector), encodeValues(definition.inputs, values));
}

const contract = createBridgeContract();

describe("work of a call to the bridge", () => {
  it("reads the arguments once for gas and execution", () => {
    const headers = Array.from({ length: 50 }, () => new Uint8Array(80));
    const data = new CountedBytes(encode("receiveHeaders", ["bytes[]"], headers));
    const malformed = data.slice();
    malformed[malformed.length - 1 - 80 - 16 - 1] = 0xff;
    // The caller is no member of the federation.
    const calls = [
      { input: data, code: "METHOD_FAILED" },
      { input: new CountedBytes(malformed), code: "INVALID_CALL" },
    ];
    for (const { input, code } of calls) {
      const context = contextOf(emptyState());
      const first = viewsOf(() => contract.gas(input, context));
      const second = viewsOf(() => assert.throws(() => contract.execute(input, context), { code }));
      assert.ok(first <= 4, `${first} views for gas`);
      assert.ok(second <= 1, `${second} views for the execution`);
    }
  });
});

describe("estimates of peg-out fees", () => {
  const rules = contextOf(emptyState()).rules;
  const federation = genesisFederation(NETWORK);
  const script = scriptHashOutput(redeemHash(redeemScript(federation, NETWORK, rules), federation.format === 4000));
  const COINS = 400;
  const REQUESTS = 90;

  function coins(salt: number): CountedBytes {
    return new CountedBytes(
      encodeUtxos(
        Array.from({ length: COINS }, (_, i) => {
          const txid = keccak256(utf8(`coin ${salt} ${i}`));
          return { txid, index: 0, value: 1_000_000n + BigInt(i), script, height: 0, coinbase: false };
        }),
      ),
    );
  }

  function requests(count: number): CountedBytes {
    const entries = Array.from({ length: count }, (_, i) => {
      return [keccak256(utf8(`owner ${i}`)).slice(12), fromHex("0f4240"), keccak256(utf8(`request ${i}`))];
    });
    return new CountedBytes(encodeRlp(entries.flat()));
  }

  function stateOf(utxos: Uint8Array, queue: Uint8Array): JournaledState {
    const state = emptyState();
    state.addBalance(BRIDGE_ADDRESS, 10n ** 24n);
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.newFederationUtxos, utxos);
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.releaseQueueWithHash, queue);
    return state;
  }

  function estimate(state: JournaledState, satoshi: bigint): bigint {
    const data = encode("getEstimatedFeesForPegOutAmount", ["uint256"], satoshi * 10n ** 10n);
    return bytesToBigint(contract.execute(data, contextOf(state))!);
  }

  it("decode the coins and requests of a state once", () => {
    const state = stateOf(coins(0), requests(REQUESTS));
    const first = viewsOf(() => estimate(state, 1_000_000n));
    assert.ok(first >= COINS + REQUESTS, `${first} views`);
    const further = viewsOf(() => {
      for (let satoshi = 1_000_001n; satoshi < 1_000_040n; satoshi++) estimate(state, satoshi);
      contract.execute(encode("getEstimatedFeesForNextPegOutEvent", []), contextOf(state));
      contract.execute(encode("getQueuedPegoutsCount", []), contextOf(state));
    });
    // Counting the queue decodes it once more.
    assert.ok(further <= 4 * REQUESTS, `${further} views`);
    // The same cells in another state: only the script of the first coin is looked at.
    const other = stateOf(coins(0), requests(REQUESTS));
    assert.ok(viewsOf(() => estimate(other, 1_000_000n)) <= 2);
  });

  it("read what is stored of flyover addresses once", () => {
    let reads = 0;
    class CountingState extends JournaledState {
      override getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined {
        reads++;
        return super.getStorageBytes(address, key);
      }
    }
    const state = new CountingState(openState());
    const hashes = Array.from({ length: COINS }, (_, i) => keccak256(utf8(`flyover ${i}`)).slice(0, 20));
    const federationHash = script.slice(2, 22);
    for (const hash of hashes) {
      const cell = encodeRlp([keccak256(hash), federationHash]);
      state.setStorageBytes(BRIDGE_ADDRESS, flyoverInformationCell(hash), cell);
    }
    const utxos = hashes.map((hash, i) => ({
      txid: keccak256(hash),
      index: 0,
      value: 1_000_000n + BigInt(i),
      script: scriptHashOutput(hash),
      height: 0,
      coinbase: false,
    }));
    state.addBalance(BRIDGE_ADDRESS, 10n ** 24n);
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.newFederationUtxos, encodeUtxos(utxos));
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.releaseQueueWithHash, requests(REQUESTS));
    const first = estimate(state, 100_000_000n);
    assert.ok(reads > COINS / 4, `${reads} reads`);
    reads = 0;
    assert.equal(estimate(state, 100_000_000n), first);
    assert.ok(reads < 20, `${reads} reads`);
  });

  it("are those of the present state after a change and its reversal", () => {
    const [small, large] = [1_000_000n, 100_000_000n];
    const state = stateOf(coins(1), requests(1));
    const before = [estimate(state, small), estimate(state, large)];
    const checkpoint = state.checkpoint();
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.releaseQueueWithHash, requests(60));
    const longer = [estimate(state, small), estimate(state, large)];
    assert.ok(longer[0]! > before[0]!);
    assert.deepEqual(
      longer,
      [small, large].map((satoshi) => estimate(stateOf(coins(1), requests(60)), satoshi)),
    );
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.newFederationUtxos, encodeUtxos([]));
    assert.throws(() => estimate(state, small), { code: "METHOD_FAILED" });
    state.revertTo(checkpoint);
    assert.deepEqual([estimate(state, small), estimate(state, large)], before);
  });
});

describe("decoded cells", () => {
  const cell = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

  it("are found by their content, and the latest are kept", () => {
    const decoded: number[] = [];
    const cells = new DecodedCells((bytes) => {
      decoded.push(bytes[0]!);
      return [...bytes];
    });
    const first = cells.of(cell(1));
    assert.equal(cells.of(cell(1)), first);
    assert.deepEqual(cells.of(cell(1, 2)), [1, 2]);
    for (const byte of [2, 3, 4, 2, 3, 4]) cells.of(cell(byte));
    assert.deepEqual(decoded, [1, 1, 2, 3, 4]);
    cells.of(cell(1));
    assert.deepEqual(decoded, [1, 1, 2, 3, 4, 1]);
  });

  it("cannot be changed by a call that reads them", () => {
    const list = new DecodedCells((bytes) => [...bytes]).of(cell(1)) as number[];
    assert.throws(() => list.push(2), TypeError);
  });

  it("fail again if they are malformed", () => {
    let attempts = 0;
    const cells = new DecodedCells(() => {
      attempts++;
      throw new RangeError();
    });
    for (let i = 0; i < 2; i++) assert.throws(() => cells.of(cell(1)), RangeError);
    assert.equal(attempts, 2);
  });
});
