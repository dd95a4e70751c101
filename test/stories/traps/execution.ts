import type { PreAccount } from "@cambium/conformance";
import { contractAddress, fromHex, toData } from "@cambium/primitives";
import { callData, USER } from "../peg-story.js";
import { account, begin, code, contract, type Trap, type TrapText } from "./trap.js";

// Traps of the virtual machine, of accounts and of native contracts other than the bridge.

const RETURN_WORD = "0 MSTORE 32 0 RETURN";
const CONTRACTS = [0xc1, 0xc2, 0xc3, 0xc4, 0xc5].map(account);

interface Call {
  data?: Uint8Array;
  value?: bigint;
  gasLimit?: bigint;
}

/** Calls each contract at each height. */
function calls(text: TrapText, heights: readonly number[], codes: readonly string[], call: Call = {}): Trap {
  const pre = Object.fromEntries(codes.map((source, i) => [toData(CONTRACTS[i]!), contract(source)]));
  return atHeights(text, heights, pre, CONTRACTS.slice(0, codes.length), call);
}

function atHeights(
  text: TrapText,
  heights: readonly number[],
  pre: Readonly<Record<string, PreAccount>>,
  targets: readonly Uint8Array[],
  call: Call = {},
): Trap {
  const story = begin(text, { from: heights[0]!, pre });
  for (const height of heights) {
    for (const to of targets) story.send(USER, { to, ...call });
    story.mine({ skip: height - story.number - 1 });
  }
  return { text, story };
}

/** Returns code that forwards its data to a native contract and returns the result. */
function forwarder(address: number): string {
  return `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 ${address} GAS CALL POP
    RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 RETURN`;
}

/**
 * Code that calls the identity contract with a word of memory and no room for its output, then returns the size of
 * memory.
 */
const UNBOUNDED_OUTPUT = `0 128 64 0 0 4 GAS CALL POP MSIZE ${RETURN_WORD}`;
/** Code that returns the depth of its recursive calls. */
const RECURSION = "0 CALLDATALOAD 1 ADD 0 MSTORE 32 0 32 0 0 ADDRESS GAS CALL POP 32 0 RETURN";
const BLOCK_HEADER = 0x01000010;
const BRIDGE = 0x01000006;
/** Call data for the miner of a block deeper than the native contract answers. */
const COINBASE_OF_TOO_DEEP = callData("getCoinbaseAddress(int256)", [4000n]);
const NO_HEADERS = callData("receiveHeaders(bytes[])", [[]]);

/** Init code that sets a cell and clears it. */
const SET_AND_CLEAR = "1 0 SSTORE 0 0 SSTORE";

function factory(init: string): string {
  const bytes = code(init).slice(2);
  const size = bytes.length / 2;
  return `0x${bytes} 0 MSTORE ${size} ${32 - size} 0 CREATE ${RETURN_WORD}`;
}

function staticCallValue(): Trap {
  const text = {
    height: 729_000,
    rule: "Until RSKIP-103 STATICCALL takes a value word from the stack; before RSKIP-91 it is an invalid opcode",
    spec: "spec/04 §4.1",
  };
  // 42 stays on the stack if six words are taken, 7 if seven are.
  const source = `7 42 0 0 0 0 0xee GAS STATICCALL POP ${RETURN_WORD}`;
  return calls(text, [728_999, 729_000, 1_052_699, 1_052_700], [source]);
}

function nativeOutput(): Trap {
  const text = {
    height: 1_661_324,
    rule: "Before RSKIP-150 a native contract's whole output is written, and memory grows for it without a charge",
    spec: "spec/04 §4.3",
  };
  return calls(text, [1_661_324, 2_017_999, 2_018_000], [UNBOUNDED_OUTPUT]);
}

function nullOutput(): Trap {
  const text = {
    height: 1_661_324,
    rule: "Before RSKIP-150 a call of a void bridge method by a contract fails the calling frame with all its gas",
    spec: "spec/04 §4.3",
  };
  return calls(text, [1_661_324, 2_018_000], [forwarder(BRIDGE)], { data: NO_HEADERS, gasLimit: 500_000n });
}

function emptyBytes(): Trap {
  const text = {
    height: 1_669_062,
    rule: "A native contract encodes empty bytes as three words",
    spec: "spec/04 §6.7",
  };
  return calls(text, [1_669_062], [forwarder(BLOCK_HEADER)], { data: COINBASE_OF_TOO_DEEP });
}

function depth(): Trap {
  const text = { height: 2_018_000, rule: "From RSKIP-150 calls are at most 400 deep", spec: "spec/04 §5.4" };
  return calls(text, [2_017_999, 2_018_000, 2_814_761], [RECURSION], { gasLimit: 2_000_000n });
}

function codeHash(): Trap {
  const text = {
    height: 2_392_700,
    rule: "Until RSKIP-169 the code hash of a contract without code is 0, afterwards that of no bytes",
    spec: "spec/04 §3.5",
  };
  const [codeless, plain, absent] = [account(0xd1), account(0xd2), account(0xd3)];
  const pushes = [codeless, plain, absent].map((address, i) => `${toData(address)} EXTCODEHASH ${32 * i} MSTORE`);
  const pre = {
    [toData(CONTRACTS[0]!)]: contract(`${pushes.join(" ")} 96 0 RETURN`),
    [toData(codeless)]: { nonce: "0x0", balance: "0x0", contract: true },
    [toData(plain)]: { nonce: "0x0", balance: "0x0" },
  };
  return atHeights(text, [2_392_700, 3_614_799, 3_614_800], pre, [CONTRACTS[0]!]);
}

function returnData(): Trap {
  const text = {
    height: 2_669_886,
    rule: "Until RSKIP-171 the return data of the last call survive a call that runs nothing",
    spec: "spec/04 §4.6",
  };
  const source = `0 0 32 0 0 4 GAS CALL POP 0 0 0 0 0 CALLER GAS CALL POP RETURNDATASIZE ${RETURN_WORD}`;
  return calls(text, [2_669_886, 3_614_799, 3_616_094], [source]);
}

function rebirth(): Trap {
  const [mortal] = CONTRACTS as [Uint8Array];
  const text = {
    height: 3_173_807,
    rule: "A destroyed account vanishes at the end of its transaction; the next transaction can create it again",
    spec: "spec/04 §4.5",
    accounts: [mortal],
  };
  const story = begin(text, { pre: { [toData(mortal)]: contract("CALLER SELFDESTRUCT") } });
  story.send(USER, { to: mortal });
  story.send(USER, { to: mortal });
  story.mine();
  return { text, story };
}

/** Returns two transactions that create, one of them without code, and a factory. */
function creations(height: number, rule: string, spec: string): Trap {
  const [maker] = CONTRACTS as [Uint8Array];
  const created = [contractAddress(USER.address, 0n), contractAddress(USER.address, 1n), contractAddress(maker, 1n)];
  const text = { height, rule, spec, accounts: created };
  const story = begin(text, { pre: { [toData(maker)]: contract(factory("0 0 RETURN")) } });
  story.send(USER, { to: new Uint8Array(0) });
  story.send(USER, { to: new Uint8Array(0), data: fromHex(code("0 0 RETURN")) });
  story.send(USER, { to: maker });
  story.mine();
  return { text, story };
}

function lostRefund(): Trap {
  const text = {
    height: 6_362_186,
    rule: "A refund is lost if it is earned inside the creation of a contract by a contract",
    spec: "spec/04 §4.4",
  };
  return calls(text, [6_362_186], [factory(SET_AND_CLEAR), SET_AND_CLEAR]);
}

function lovell(): Trap {
  const text = {
    height: 7_338_024,
    rule: "TLOAD, TSTORE and MCOPY come without the gas changes of Berlin and London",
    spec: "spec/04 §3.2",
  };
  return calls(
    text,
    [7_338_023, 7_338_024],
    [
      `5 0 TSTORE 0 TLOAD ${RETURN_WORD}`,
      `9 0 MSTORE 32 0 32 MCOPY 32 MLOAD ${RETURN_WORD}`,
      `1 0 0 ADDRESS EXTCODECOPY 0 SLOAD POP CALLER BALANCE POP`,
    ],
  );
}

function destructionRefund(): Trap {
  const text = {
    height: 7_338_024,
    rule: "The refund of SELFDESTRUCT stays 24 000, and half of the gas used bounds refunds",
    spec: "spec/04 §4.5",
  };
  return calls(text, [7_338_024], ["CALLER SELFDESTRUCT", `${"1 0 SSTORE 0 0 SSTORE ".repeat(2)} CALLER SELFDESTRUCT`]);
}

function testNetwork(): Trap {
  const text = {
    network: "testnet" as const,
    height: 504_000,
    rule: "On the test network twoToThree comes before wasabi: depth and output of natives change before code hashes exist",
    spec: "spec/04 §1",
  };
  const sources = [RECURSION, UNBOUNDED_OUTPUT, `CALLER EXTCODEHASH ${RETURN_WORD}`];
  return calls(text, [503_999, 504_000, 862_999, 863_000], sources, { gasLimit: 2_000_000n });
}

export const EXECUTION_TRAPS: readonly (() => Trap)[] = [
  staticCallValue,
  () =>
    creations(
      1_590_999,
      "A creation without code leaves an account without the contract marker, and a created contract has nonce 0",
      "spec/04 §4.4",
    ),
  () => creations(1_613_128, "From RSKIP-125 a contract that a contract creates starts with nonce 1", "spec/04 §4.4"),
  nativeOutput,
  nullOutput,
  emptyBytes,
  depth,
  codeHash,
  returnData,
  rebirth,
  lostRefund,
  lovell,
  destructionRefund,
  testNetwork,
];
