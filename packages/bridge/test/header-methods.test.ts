import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig } from "@cambium/config";
import {
  type AbiValue,
  abiFunction,
  bytesToBigint,
  concatBytes,
  encodeValues,
  fromHex,
  toHex,
} from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { keyAddress } from "../src/federation/key-address.js";
import { createBridgeContract } from "../src/index.js";
import { decodeStoredBlock } from "../src/parent-chain/block-store.js";
import { parentBlockHash } from "../src/parent-chain/header-hash.js";
import { CELLS, compoundCell } from "../src/storage/cells.js";
import { mineChain, mineOn, REGTEST } from "./mined-headers.js";

const contract = createBridgeContract();
const GENESIS = REGTEST.genesis.header;

interface At {
  network?: NetworkConfig;
  number?: number;
  timestamp?: number;
  caller?: Uint8Array;
}

function call(state: JournaledState, name: string, inputs: string[], args: AbiValue[], at: At = {}): Uint8Array | null {
  const { network = local, number = 100, timestamp = 1_700_000_000 } = at;
  const definition = abiFunction(name, inputs, []);
  const data = concatBytes(fromHex(definition.selector), encodeValues(definition.inputs, args));
  const sender = at.caller ?? keyAddress(network.bridge.genesisFederation.publicKeys[0]!);
  const { context } = recordCall({
    network,
    state,
    block: { number, timestamp: BigInt(timestamp) },
    transaction: { sender },
  });
  return contract.execute(data, context);
}

const receiveHeaders = (state: JournaledState, headers: readonly Uint8Array[], at?: At): Uint8Array | null =>
  call(state, "receiveHeaders", ["bytes[]"], [headers], at);

const receiveHeader = (state: JournaledState, header: Uint8Array, at?: At): bigint =>
  BigInt.asIntN(256, bytesToBigint(call(state, "receiveHeader", ["bytes"], [header], at)!));

function head(state: JournaledState): { height: number; hash: string } {
  const { height, header } = decodeStoredBlock(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.chainHead)!);
  return { height, hash: toHex(parentBlockHash(header)) };
}

function indexed(state: JournaledState, height: number): string | undefined {
  const cell = state.getStorageBytes(BRIDGE_ADDRESS, compoundCell("btcBlockHeight", String(height)));
  return cell === undefined ? undefined : toHex(cell.subarray(1));
}

const hashOf = (header: Uint8Array): string => toHex(parentBlockHash(header));

describe("receiveHeaders (spec/06b-1 §3.5)", () => {
  it("follows the branch with more work and updates the index", () => {
    const state = emptyState();
    const ours = mineChain(GENESIS, 3);
    const theirs = mineChain(ours[0]!, 3, 7);
    receiveHeaders(state, ours);
    assert.deepEqual(head(state), { height: 3, hash: hashOf(ours[2]!) });
    receiveHeaders(state, theirs.slice(0, 2));
    assert.equal(head(state).hash, hashOf(ours[2]!), "no more work than the head");
    assert.equal(indexed(state, 2), hashOf(ours[1]!));
    receiveHeaders(state, theirs.slice(2));
    assert.deepEqual(head(state), { height: 4, hash: hashOf(theirs[2]!) });
    for (const [i, header] of [ours[0]!, ...theirs].entries()) assert.equal(indexed(state, i + 1), hashOf(header));
  });

  it("skips headers that cannot be added", () => {
    const state = emptyState();
    const [first, second, third] = mineChain(GENESIS, 3) as [Uint8Array, Uint8Array, Uint8Array];
    const wrongBits = first.slice();
    wrongBits[72] = 0xfe;
    receiveHeaders(state, [third, wrongBits, first, first, second]);
    assert.deepEqual(head(state), { height: 2, hash: hashOf(second) });
  });

  it("is restricted to members, except from RSKIP-124 to RSKIP-200", () => {
    const caller = new Uint8Array(20);
    assert.throws(() => receiveHeaders(emptyState(), [], { caller }), { code: "METHOD_FAILED" });
    const of = (number: number) => () => receiveHeaders(emptyState(), [], { network: main, number, caller });
    assert.throws(of(1_590_999), { code: "METHOD_FAILED" });
    assert.doesNotThrow(of(1_591_000));
    assert.throws(of(3_614_800), { code: "METHOD_FAILED" });
  });

  it("accepts 80 bytes, followed by a transaction count of 0 before RSKIP-124", () => {
    const before = { network: main, number: 1_590_999 };
    const from = { network: main, number: 1_591_000 };
    const header = GENESIS;
    const longer = concatBytes(header, Uint8Array.of(0));
    assert.doesNotThrow(() => receiveHeaders(emptyState(), [longer], before));
    const refused = [header.subarray(1), concatBytes(header, new Uint8Array(6)), concatBytes(header, Uint8Array.of(1))];
    for (const bytes of refused) {
      assert.throws(() => receiveHeaders(emptyState(), [bytes], before), { code: "ILLEGAL_ARGUMENT" });
    }
    assert.throws(() => receiveHeaders(emptyState(), [longer], from), { code: "ILLEGAL_ARGUMENT" });
  });

  it("ignores a wrong size before RSKIP-88 and fails from it on", () => {
    const state = emptyState();
    assert.equal(receiveHeaders(state, [new Uint8Array(3)], { network: main, number: 728_999 }), null);
    assert.equal(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.chainHead), undefined);
    assert.throws(() => receiveHeaders(state, [new Uint8Array(3)], { network: main, number: 729_000 }), {
      code: "ILLEGAL_ARGUMENT",
    });
  });
});

describe("receiveHeader (spec/06b-1 §3.6)", () => {
  const anyCaller = new Uint8Array(20);

  it("accepts one header per five minutes from any caller", () => {
    const state = emptyState();
    const [first, second] = mineChain(GENESIS, 2) as [Uint8Array, Uint8Array];
    assert.equal(receiveHeader(state, first, { caller: anyCaller, timestamp: 1000 }), 0n);
    assert.equal(toHex(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.receiveHeadersLastTimestamp)!), "8203e8");
    assert.equal(receiveHeader(state, first, { caller: anyCaller, timestamp: 1001 }), -4n);
    assert.equal(receiveHeader(state, second, { caller: anyCaller, timestamp: 1299 }), -1n);
    assert.equal(receiveHeader(state, second, { caller: anyCaller, timestamp: 1300 }), 0n);
    assert.equal(head(state).height, 2);
  });

  it("returns the reason of a rejection", () => {
    const state = emptyState();
    assert.equal(receiveHeader(state, new Uint8Array(79)), -20n);
    assert.equal(state.getStorageBytes(BRIDGE_ADDRESS, CELLS.chainHead), undefined);
    const chain = mineChain(GENESIS, 27);
    assert.equal(receiveHeader(state, chain[1]!), -3n);
    const wrong = mineOn(GENESIS);
    wrong[72] = 0xfe;
    assert.equal(receiveHeader(state, wrong), -99n);
    receiveHeaders(state, chain);
    assert.equal(receiveHeader(state, mineOn(GENESIS, 5)), -2n);
    assert.equal(receiveHeader(state, mineOn(chain[0]!, 5)), 0n);
  });
});

describe("block locator (until RSKIP-89)", () => {
  it("steps down from the head and ends with the lowest block", () => {
    const state = emptyState();
    const old: NetworkConfig = { ...local, ruleHeights: { ...local.ruleHeights, rskip89: 1000, rskip88: 1000 } };
    const chain = mineChain(GENESIS, 9);
    receiveHeaders(state, chain);
    const output = call(state, "getBtcBlockchainBlockLocator", [], [], { network: old, number: 100 })!;
    const text = new TextDecoder().decode(output);
    const hashes = [...text.matchAll(/[0-9a-f]{64}/g)].map(([hash]) => hash);
    assert.deepEqual(hashes, [chain[8]!, chain[7]!, chain[6]!, chain[4]!, chain[0]!, GENESIS].map(hashOf));
  });
});
