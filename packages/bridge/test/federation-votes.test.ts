import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig } from "@cambium/config";
import {
  type AbiValue,
  abiFunction,
  bytesToBigint,
  concatBytes,
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  encodeValues,
  fromHex,
  keccak256,
  leftPad,
  secp256k1,
  toHex,
  utf8,
} from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import type { Log } from "@cambium/types";
import { createBridgeContract } from "../src/index.js";
import { decodeFederation, pendingFederationHash } from "../src/model/federation.js";
import { CELLS } from "../src/storage/cells.js";

const contract = createBridgeContract();

/** A name's uncompressed key (65 bytes) and its compressed form. */
function keyOf(name: string): { full: Uint8Array; short: Uint8Array } {
  const point = secp256k1.publicKey(keccak256(utf8(name)));
  const prefix = 2 + (point[63]! & 1);
  return {
    full: concatBytes(Uint8Array.of(4), point),
    short: concatBytes(Uint8Array.of(prefix), point.subarray(0, 32)),
  };
}

/** Votes of a network's authorizers on one state. */
class Voting {
  readonly state: JournaledState = emptyState();
  logs: Log[] = [];

  constructor(
    readonly network: NetworkConfig,
    public number: number,
    readonly timestamp = 1_700_000_000,
  ) {}

  get voters(): readonly Uint8Array[] {
    return this.network.bridge.authorizers.federationChange;
  }

  vote(voter: Uint8Array, name: string, inputs: string[], args: AbiValue[]): number {
    const definition = abiFunction(name, inputs, []);
    const data = concatBytes(fromHex(definition.selector), encodeValues(definition.inputs, args));
    const { context, logs } = recordCall({
      network: this.network,
      state: this.state,
      block: { number: this.number, timestamp: BigInt(this.timestamp) },
      transaction: { sender: voter },
    });
    const output = contract.execute(data, context)!;
    this.logs.push(...logs);
    return Number(BigInt.asIntN(256, bytesToBigint(output)));
  }

  /** Casts the same vote by as many authorizers as needed; returns the last result. */
  decide(name: string, inputs: string[] = [], args: AbiValue[] = []): number {
    const needed = Math.floor(this.voters.length / 2) + 1;
    let code = 0;
    for (const voter of this.voters.slice(0, needed)) code = this.vote(voter, name, inputs, args);
    return code;
  }

  addMember(name: string): number {
    const { short } = keyOf(name);
    const other = keyOf(`${name}-node`).full;
    const third = keyOf(`${name}-third`).short;
    return this.decide("addFederatorPublicKeyMultikey", ["bytes", "bytes", "bytes"], [short, other, third]);
  }

  commit(members: readonly string[]): number {
    const keys = members.map((name) => keyOf(name).short).sort((a, b) => (toHex(a) < toHex(b) ? -1 : 1));
    const hash = pendingFederationHash(keys.map((key) => ({ btc: key, rsk: key, mst: key })));
    return this.decide("commitFederation", ["bytes"], [hash]);
  }

  cell(key: Uint8Array): string | undefined {
    const cell = this.state.getStorageBytes(BRIDGE_ADDRESS, key);
    return cell === undefined ? undefined : toHex(cell);
  }
}

describe("votes for a federation (spec/06b-2 §2)", () => {
  it("build a federation member by member with compressed keys, then propose it", () => {
    const voting = new Voting(local, 300);
    assert.equal(voting.decide("createFederation"), 1);
    assert.equal(voting.cell(CELLS.pendingFederation), "c0");
    assert.equal(voting.addMember("one"), 1);
    assert.equal(voting.commit(["one"]), -2);
    assert.equal(voting.addMember("two"), 1);
    const members = decodeRlpList(voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.pendingFederation)!);
    assert.deepEqual(
      members.map((member) => member.items.map((key) => key.bytes.length)),
      [
        [33, 33, 33],
        [33, 33, 33],
      ],
    );
    assert.equal(voting.commit(["one"]), -3);
    assert.equal(voting.commit(["one", "two"]), 1);
    assert.equal(voting.cell(CELLS.pendingFederation), undefined);
    assert.equal(voting.cell(CELLS.federationElection), "c0");
    assert.equal(voting.cell(CELLS.proposedFederationFormatVersion), "820fa0");
    const proposed = decodeFederation(
      voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.proposedFederation)!,
      fromHex("820fa0"),
    );
    assert.equal(proposed.creationTimeMillis, 1_700_000_000_000n);
    assert.equal(proposed.creationBlock, 300);
    assert.equal(voting.decide("createFederation"), -4);
    assert.equal(toHex(voting.logs[0]!.topics[0]!), "5b9466a0b50d1cab12eeb0b3b5d387ece7659afcc56bb15704535e6954de8c4e");
  });

  it("reject impossible changes without recording the vote", () => {
    const voting = new Voting(local, 300);
    const [voter] = voting.voters as readonly [Uint8Array];
    assert.equal(voting.vote(new Uint8Array(20), "createFederation", [], []), -10);
    assert.equal(voting.vote(voter, "rollbackFederation", [], []), -1);
    assert.equal(voting.cell(CELLS.federationElection), undefined);
    assert.equal(voting.vote(voter, "createFederation", [], []), 1);
    assert.equal(voting.vote(voter, "createFederation", [], []), -10);
    assert.throws(() => voting.vote(voter, "commitFederation", ["bytes"], [new Uint8Array(31)]), {
      code: "METHOD_FAILED",
    });
  });

  it("recognise a member's key in every form, by role", () => {
    const voting = new Voting(local, 300);
    voting.decide("createFederation");
    voting.addMember("one");
    const add = (btc: Uint8Array, rsk: Uint8Array, mst: Uint8Array): number =>
      voting.vote(voting.voters[0]!, "addFederatorPublicKeyMultikey", ["bytes", "bytes", "bytes"], [btc, rsk, mst]);
    const other = keyOf("other").short;
    assert.equal(add(keyOf("one").full, other, other), -2);
    assert.equal(add(other, keyOf("one-node").short, other), -2);
    assert.equal(add(other, other, keyOf("one-third").full), -2);
    assert.equal(add(other, other, new Uint8Array(33)), -10);
    assert.equal(add(other.subarray(1), other, other), -10);
    assert.equal(add(keyOf("one-node").short, other, other), 1);
  });

  it("may add the point at infinity", () => {
    const voting = new Voting(local, 300);
    voting.decide("createFederation");
    const infinity = fromHex("00");
    const vote = (): number =>
      voting.decide("addFederatorPublicKeyMultikey", ["bytes", "bytes", "bytes"], [infinity, infinity, infinity]);
    assert.equal(vote(), 1);
    assert.equal(voting.cell(CELLS.pendingFederation), "c4c3000000");
    assert.equal(vote(), -2);
  });

  it("are dropped by a rollback", () => {
    const voting = new Voting(local, 300);
    voting.decide("createFederation");
    voting.vote(
      voting.voters[3]!,
      "addFederatorPublicKeyMultikey",
      ["bytes", "bytes", "bytes"],
      [keyOf("one").short, keyOf("two").short, keyOf("three").short],
    );
    assert.equal(voting.decide("rollbackFederation"), 1);
    assert.equal(voting.cell(CELLS.pendingFederation), undefined);
    assert.equal(voting.cell(CELLS.pendingFederationFormatVersion), "8203e8");
    assert.equal(voting.cell(CELLS.federationElection), "c0");
    assert.equal(voting.decide("createFederation"), 1);
  });

  it("cannot propose more members than a script can hold", () => {
    const names = Array.from({ length: 21 }, (_, i) => `member${i}`);
    const voting = new Voting(local, 300);
    voting.decide("createFederation");
    for (const name of names) assert.equal(voting.addMember(name), 1);
    assert.throws(() => voting.commit(names), { code: "SCRIPT_SIZE" });
    assert.equal(voting.cell(CELLS.proposedFederation), undefined);
  });
});

describe("votes for a federation before later rules (spec/06b-2 §8)", () => {
  const members = ["one", "two"];

  function commitAt(number: number): Voting {
    const voting = new Voting(main, number, 1_600_000_000);
    voting.decide("createFederation");
    for (const name of members) voting.addMember(name);
    assert.equal(voting.commit(members), 1);
    return voting;
  }

  it("change the federation at once before RSKIP-419, in the format of the time", () => {
    const kinds: [number: number, version: string][] = [
      [1_591_000, "8203e8"],
      [3_614_800, "8207d0"],
      [4_976_300, "820bb8"],
      [7_338_023, "820bb8"],
    ];
    for (const [number, version] of kinds) {
      const voting = commitAt(number);
      assert.equal(voting.cell(CELLS.newFederationFormatVersion), version, String(number));
      assert.equal(voting.cell(CELLS.oldFederationFormatVersion), "8203e8");
      assert.equal(voting.cell(CELLS.proposedFederation), undefined);
      const cell = voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.newFederation)!;
      assert.equal(decodeFederation(cell, fromHex(version)).creationTimeMillis, 1_600_000_000n);
      assert.equal(voting.decide("createFederation"), -2);
    }
    const lovell = commitAt(7_338_024);
    assert.equal(lovell.cell(CELLS.newFederation), undefined);
    assert.equal(lovell.cell(CELLS.proposedFederationFormatVersion), "820bb8");
    assert.equal(commitAt(8_052_200).cell(CELLS.proposedFederationFormatVersion), "820fa0");
  });

  it("store the heights and the retired script from RSKIP-186", () => {
    assert.equal(commitAt(3_614_799).cell(CELLS.nextFederationCreationHeight), undefined);
    const voting = commitAt(3_614_800);
    assert.equal(voting.cell(CELLS.nextFederationCreationHeight), "83372850");
    const [script] = decodeRlpList(voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.lastRetiredScript)!);
    assert.match(toHex(script!.bytes), /^a914.{40}87$/);
  });

  it("log the name as topic before RSKIP-146", () => {
    const before = commitAt(2_392_699).logs[0]!;
    assert.deepEqual(before.topics, [leftPad(utf8("commit_federation_topic"), 32)]);
    const [from, to, activation] = decodeRlpList(before.data);
    assert.equal(from!.items[1]!.items.length, 15);
    assert.deepEqual(
      to!.items[1]!.items.map((key) => toHex(key.bytes)),
      members.map((name) => toHex(keyOf(name).short)).sort(),
    );
    assert.equal(new TextDecoder().decode(activation!.bytes), String(2_392_699 + 18_500));
    assert.equal(commitAt(2_392_700).logs[0]!.data.length % 32, 0);
  });

  it("add single keys before RSKIP-123", () => {
    const voting = new Voting(main, 1_590_999, 1_550_000_000);
    voting.decide("createFederation");
    const { full, short } = keyOf("one");
    assert.equal(voting.decide("addFederatorPublicKey", ["bytes"], [full]), 1);
    assert.equal(voting.cell(CELLS.pendingFederation), toHex(encodeRlp([short])));
    assert.equal(voting.cell(CELLS.pendingFederationFormatVersion), undefined);
    assert.equal(voting.decide("addFederatorPublicKey", ["bytes"], [short]), -2);
    assert.equal(voting.decide("addFederatorPublicKey", ["bytes"], [keyOf("two").short]), 1);
    assert.equal(voting.commit(members), 1);
    assert.equal(voting.cell(CELLS.newFederationFormatVersion), undefined);
    const [time, block, keys] = decodeRlpList(voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.newFederation)!);
    assert.equal(bytesToBigint(time!.bytes), 1_550_000_000n);
    assert.equal(bytesToBigint(block!.bytes), 1_590_999n);
    assert.ok(keys!.items.every((key) => key.bytes.length === 33));
  });

  it("convert a pending federation of single keys with the next vote", () => {
    const voting = new Voting(main, 1_590_999);
    voting.decide("createFederation");
    voting.decide("addFederatorPublicKey", ["bytes"], [keyOf("one").short]);
    voting.number = 1_591_000;
    assert.equal(voting.addMember("two"), 1);
    const list = decodeRlpList(voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.pendingFederation)!);
    assert.deepEqual(
      list.map((member) => member.items.length),
      [3, 3],
    );
    const version = voting.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.pendingFederationFormatVersion)!;
    assert.equal(toHex(decodeRlpItem(version).bytes), "03e8");
  });
});
