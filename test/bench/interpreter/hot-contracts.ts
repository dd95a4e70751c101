import { readFileSync } from "node:fs";
import { NETWORKS } from "@cambium/config";
import { createEvm, type LocalCall, type LocalCallOutcome, precompiles } from "@cambium/evm";
import { fromHex, toHex } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, openState } from "@cambium/state";
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters, parseSignature } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Creation code of the contracts in `Contracts.sol`, by solc 0.8.30 for "london" with 200 runs of its optimizer. */
const CODE: Record<string, string> = JSON.parse(readFileSync(new URL("./contracts.json", import.meta.url), "utf8"));

const TOKEN = parseAbi([
  "function mint(address to, uint256 value)",
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
]);
const ROUTER = parseAbi(["function sell(address pair, uint256 amount, uint256 least, address to, uint256 deadline)"]);
const PAIR = parseAbi(["function sync()"]);
const ORACLE = parseAbi(["function report(uint128 value)"]);

const USER = privateKeyToAccount(`0x${"c1".repeat(32)}`);
const OWNER: Hex = `0x${"d2".repeat(20)}`;
const RECEIVER: Hex = `0x${"e3".repeat(20)}`;
const REPORTERS = Array.from({ length: 9 }, (_, i): Hex => `0x${`f${i}`.repeat(20)}`);
const COIN = 10n ** 18n;
const MAX = 2n ** 256n - 1n;

/** A block of the network `local`, whose rules are those of main. */
export const BLOCK: ExecutingBlock = {
  number: 2000,
  timestamp: 1_700_000_000n,
  parentHash: new Uint8Array(32),
  coinbase: fromHex("cc".repeat(20)),
  difficulty: 1n,
  gasLimit: 10_000_000n,
  minimumGasPrice: 0n,
  ancestors: {
    hash: () => undefined,
    header: () => undefined,
    uncles: () => undefined,
    totalDifficulty: () => undefined,
  },
};

/** A call of a contract that is called often on main. */
export interface HotCall {
  name: string;
  message: LocalCall;
}

/** A state with the contracts, and calls that succeed in it. */
export interface HotContracts {
  state: JournaledState;
  calls: HotCall[];
  /** Executes a call and restores the state. */
  run(call: HotCall): LocalCallOutcome;
}

/** Creates and fills tokens, a pair of them with its router, and an oracle. */
export async function hotContracts(): Promise<HotContracts> {
  const state = new JournaledState(openState());
  const evm = createEvm({ network: NETWORKS.local, contracts: precompiles });
  const message = (from: Hex, to: Hex | "", data: Hex): LocalCall => ({
    from: fromHex(from.slice(2)),
    to: fromHex(to.slice(2)),
    data: fromHex(data.slice(2)),
    value: 0n,
    gasPrice: 0n,
    gasLimit: 5_000_000n,
  });
  const succeeded = (outcome: LocalCallOutcome): LocalCallOutcome => {
    if (outcome.status !== 1) throw new Error(`a call failed: ${outcome.exception?.message}`);
    return outcome;
  };
  const send = (from: Hex, to: Hex | "", data: Hex) => succeeded(evm.simulate(message(from, to, data), BLOCK, state));
  const create = (name: string, parameters: Hex = "0x"): Hex =>
    `0x${toHex(send(OWNER, "", `0x${CODE[name]}${parameters.slice(2)}`).created!)}`;

  const [first, second] = [create("Token"), create("Token")];
  const proxy = create("Proxy", encodeAbiParameters(parseAbiParameters("address"), [first]));
  const pair = create("Pair", encodeAbiParameters(parseAbiParameters("address, address"), [first, second]));
  const router = create("Router");
  const oracle = create(
    "Oracle",
    encodeAbiParameters(parseAbiParameters("address[], uint128"), [REPORTERS, 60_000n * COIN]),
  );

  const token = (functionName: "mint" | "transfer" | "approve", to: Hex, value: bigint): Hex =>
    encodeFunctionData({ abi: TOKEN, functionName, args: [to, value] });
  for (const at of [first, second, proxy]) {
    for (const to of [USER.address, RECEIVER, pair]) send(OWNER, at, token("mint", to, 1_234_567n * COIN));
  }
  send(USER.address, first, token("approve", router, MAX / 3n));
  send(USER.address, first, token("approve", RECEIVER, MAX / 3n));
  send(OWNER, pair, encodeFunctionData({ abi: PAIR, functionName: "sync" }));
  state.commit();

  const amount = 1_234_567_890_123_456_789n;
  const transfer = token("transfer", RECEIVER, amount);
  const transferFrom = encodeFunctionData({
    abi: TOKEN,
    functionName: "transferFrom",
    args: [USER.address, OWNER, amount],
  });
  const sell = encodeFunctionData({
    abi: ROUTER,
    functionName: "sell",
    args: [pair, amount, 1n, USER.address, BLOCK.timestamp],
  });
  const report = encodeFunctionData({ abi: ORACLE, functionName: "report", args: [60_001n * COIN] });
  return {
    state,
    calls: [
      { name: "token transfer", message: message(USER.address, first, transfer) },
      { name: "token transferFrom", message: message(RECEIVER, first, transferFrom) },
      { name: "token transfer by proxy", message: message(USER.address, proxy, transfer) },
      { name: "token permit", message: message(RECEIVER, first, await permit(first)) },
      { name: "swap", message: message(USER.address, router, sell) },
      { name: "oracle report", message: message(REPORTERS[4]!, oracle, report) },
    ],
    run: (call) => succeeded(evm.call(call.message, BLOCK, state)),
  };
}

async function permit(token: Hex): Promise<Hex> {
  const content = { owner: USER.address, spender: OWNER, value: COIN, nonce: 0n, deadline: MAX };
  const signature = await USER.signTypedData({
    domain: { name: "Token", version: "1", chainId: NETWORKS.local.chainId, verifyingContract: token },
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    message: content,
  });
  const { r, s, yParity } = parseSignature(signature);
  const args = [content.owner, OWNER, COIN, MAX, 27 + yParity, r, s] as const;
  return encodeFunctionData({ abi: TOKEN, functionName: "permit", args });
}
