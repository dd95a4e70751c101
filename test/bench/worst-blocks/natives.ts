import { BRIDGE_METHODS } from "@cambium/bridge";
import {
  BLOCK_HEADER_ADDRESS,
  BRIDGE_ADDRESS,
  ENVIRONMENT_ADDRESS,
  HD_WALLET_UTILS_ADDRESS,
  main,
  REWARD_ADDRESS,
  rulesAt,
} from "@cambium/config";
import { bytesToBigint, fromHex } from "@cambium/primitives";
import { caller, encodeCall, longCalls, type Method, plainCall, selectorOf, textCall } from "./calls.js";
import type { Row } from "./opcodes.js";
import type { Program } from "./program.js";

const RULES = rulesAt(main, Number.MAX_SAFE_INTEGER);

const number = (address: Uint8Array): number => Number(bytesToBigint(address));
const HD_WALLET = number(HD_WALLET_UTILS_ADDRESS);
const BLOCK_HEADER = number(BLOCK_HEADER_ADDRESS);
const ENVIRONMENT = number(ENVIRONMENT_ADDRESS);
const REWARD = number(REWARD_ADDRESS);
const BRIDGE = number(BRIDGE_ADDRESS);

const KEY = fromHex(
  "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
);
const XPUB =
  "xpub661MyMwAqRbcFMGNG2YcHvj3x63bAZN9U5cKikaiQ4zu2D1cvpnZYyXNR9nH62sGp4RR39Ui7SVQSq1PY4JbPuEuu5prVJJC3d5Pogft712";

const TO_BASE_58: Method = ["toBase58Check", "bytes", "int256"];
const DERIVE: Method = ["deriveExtendedPublicKey", "string", "string"];
const EXTRACT: Method = ["extractPublicKeyFromExtendedPublicKey", "string"];
const MULTISIG: Method = ["getMultisigScriptHash", "int256", "bytes[]"];

/** Calls of the wallet contract that succeed with the most work. */
const WALLET_CALLS: readonly (readonly [Method, Uint8Array])[] = [
  [TO_BASE_58, encodeCall(TO_BASE_58, new Uint8Array(20).fill(0xff), 111n)],
  [DERIVE, encodeCall(DERIVE, XPUB, "1/2/3/4/5/6/7/8/9/10")],
  [EXTRACT, encodeCall(EXTRACT, XPUB)],
  [
    MULTISIG,
    encodeCall(
      MULTISIG,
      8n,
      Array.from({ length: 15 }, () => KEY),
    ),
  ],
];

const HEADER_METHODS = [
  "getCoinbaseAddress",
  "getBlockHash",
  "getMergedMiningTags",
  "getMinGasPrice",
  "getGasLimit",
  "getGasUsed",
  "getDifficulty",
  "getBitcoinHeader",
  "getDifficultyWithUncles",
  "getCumulativeWork",
];

/** Returns a row for each method of a native contract, and for calls that select none. */
export function nativeRows(): Row[] {
  const wallet = WALLET_CALLS.map(([method, data]) => row("HDWalletUtils", HD_WALLET, method, [data]));
  const uncle: Method = ["getUncleCoinbaseAddress", "int256", "int256"];
  const headers = [...HEADER_METHODS.map((name): Method => [name, "int256"]), uncle].map((method) =>
    row("BlockHeader", BLOCK_HEADER, method, depths(method)),
  );
  const environment = row("Environment", ENVIRONMENT, ["getCallStackDepth"]);
  const reward = ["processMinersFees", "getStateForDebugging"].map((name) => row("Reward", REWARD, [name]));
  const contracts = { HDWalletUtils: HD_WALLET, BlockHeader: BLOCK_HEADER, Environment: ENVIRONMENT, Reward: REWARD };
  const nothing = Object.entries({ ...contracts, Bridge: BRIDGE }).map(([name, to]) => ({
    name: `${name}: no method`,
    programs: [caller(to, new Uint8Array(4).fill(0xee)), caller(to, new Uint8Array(0), { size: 1_060_000 })],
  }));
  return [...wallet, ...headers, environment, ...reward, ...nothing, ...bridgeRows(), longAddress()];
}

/** Addresses of the whitelist may have any length. */
function longAddress(): Row {
  const method: Method = ["addUnlimitedLockWhitelistAddress", "string"];
  const programs = [50_000, 100_000].map((size) => textCall(BRIDGE, method, "z", size));
  return { name: "Bridge.addUnlimitedLockWhitelistAddress, long text", programs };
}

/** Number of blocks whose uncles {@link UNCLES_PROGRAM} reads: more than are kept decoded. */
export const BLOCKS_WITH_UNCLES = 200;

/** Program that reads the uncles of this number of the latest blocks, one after the other. */
export const UNCLES_PROGRAM: Program = {
  before: "0",
  data: encodeCall(["getDifficultyWithUncles", "int256"], 0n),
  memory: 64,
  body: `1 ADD ${BLOCKS_WITH_UNCLES} DUP2 MOD 4 MSTORE 0 0 36 0 0 ${BLOCK_HEADER} 6000 CALL POP`,
  copies: 16,
};

function depths(method: Method): Uint8Array[] {
  const rest = method.slice(2).map(() => 0n);
  return [1n, 3_999n, 10n ** 9n].map((depth) => encodeCall(method, depth, ...rest));
}

function bridgeRows(): Row[] {
  const enabled = BRIDGE_METHODS.filter(
    ({ from, until }) => (from === undefined || RULES[from]) && (until === undefined || !RULES[until]),
  );
  return enabled.map(({ signature }) => {
    const open = signature.indexOf("(");
    const inputs = signature.slice(open + 1, -1);
    const method: Method = [signature.slice(0, open), ...(inputs === "" ? [] : inputs.split(","))];
    return row(
      "Bridge",
      BRIDGE,
      method,
      AMOUNTS[method[0]]?.map((amount) => encodeCall(method, amount)),
    );
  });
}

/** Arguments that cause the most work in methods of the bridge. */
const AMOUNTS: Readonly<Record<string, readonly bigint[]>> = {
  getEstimatedFeesForPegOutAmount: [10n ** 17n, 30n * 10n ** 18n],
};

function row(contract: string, to: number, method: Method, calls: readonly Uint8Array[] = []): Row {
  const short: Program[] = [selectorOf(method), plainCall(method), ...calls].map((data) => caller(to, data));
  const padded = caller(to, selectorOf(method), { size: 1_060_000 });
  return { name: `${contract}.${method[0]}`, programs: [...short, padded, ...longCalls(to, method)] };
}
