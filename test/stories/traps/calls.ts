import { BRIDGE_ADDRESS } from "@cambium/config";
import { type AbiValue, fromHex, toData } from "@cambium/primitives";
import { callData, FEDERATORS, FORWARDER, USER } from "../peg-story.js";
import { federationPatches, membersOf } from "./peg.js";
import { account, begin, contract, PEG, type Trap } from "./trap.js";

// Traps of calls to the bridge: gas, kinds of calls, undecodable data, results.

/**
 * Returns code that forwards its data to the bridge by one kind of call. It returns the answer, the size of the output
 * and the gas.
 */
export function relay(kind: string): string {
  const value = kind === "CALL" || kind === "CALLCODE" ? "0" : "";
  return `CALLDATASIZE 0 96 CALLDATACOPY GAS 64 MSTORE
    0 0 CALLDATASIZE 96 ${value} ${toData(BRIDGE_ADDRESS)} 200000 ${kind} 0 MSTORE
    GAS 64 MLOAD SUB 64 MSTORE RETURNDATASIZE 32 MSTORE 96 0 RETURN`;
}

const KINDS = ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"];
const HEADER = new Uint8Array(80).fill(1);
const METHODS: [signature: string, args: AbiValue[]][] = [
  ["receiveHeader(bytes)", [HEADER]],
  ["receiveHeaders(bytes[])", [[HEADER]]],
  ["hasBtcBlockCoinbaseTransactionInformation(bytes32)", [new Uint8Array(32)]],
  ["updateCollections()", []],
  ["getStateForDebugging()", []],
];
/** An array that begins after the data. */
const UNDECODABLE = fromHex(
  `${toData(callData("receiveHeaders(bytes[])", [[]])).slice(2, 10)}${"a0".padStart(64, "0")}`,
);

function kindsOfCalls(): Trap {
  const text = {
    height: 6_223_762,
    rule: "From RSKIP-417 the bridge answers only CALL, and STATICCALL for getters; refused and undecodable calls cost their gas",
    spec: "spec/06a §1.2",
  };
  const relays = KINDS.map((kind, i) => [toData(account(0xa1 + i)), contract(relay(kind))] as const);
  const story = begin(text, { from: 6_223_699, pre: { ...PEG, ...Object.fromEntries(relays) } });
  const patches = federationPatches({ members: membersOf(FEDERATORS), created: 6_000_000, format: 3000 });
  for (const skip of [0, 62]) {
    for (const [to] of relays) {
      for (const [signature, args] of METHODS) story.call(USER, signature, args, 0n, fromHex(to));
      story.send(USER, { to: fromHex(to), data: UNDECODABLE });
    }
    story.mine({ skip, patches: skip === 0 ? patches : [] });
  }
  return { text, story };
}

function undecodable(): Trap {
  const text = {
    height: 370_000,
    rule: "Before RSKIP-88 undecodable data do nothing and cost the gas of a request; afterwards the call fails",
    spec: "spec/06a §1.1",
  };
  const story = begin(text, { pre: PEG });
  for (const skip of [0, 358_998, 0]) {
    for (const data of [UNDECODABLE, fromHex("ffffffff"), fromHex("01")])
      story.send(USER, { to: BRIDGE_ADDRESS, data });
    story.mine({ skip });
  }
  return { text, story };
}

function emptyBytes(): Trap {
  const text = { height: 8_417_579, rule: "The bridge encodes empty bytes as three words", spec: "spec/06a §1.3" };
  const story = begin(text, { pre: PEG });
  story.call(USER, "getBtcBlockchainBlockHeaderByHash(bytes32)", [new Uint8Array(32)], 0n, FORWARDER);
  story.mine();
  return { text, story };
}

export const CALL_TRAPS: readonly (() => Trap)[] = [kindsOfCalls, undecodable, emptyBytes];
