import { type NETWORKS, rulesAt } from "@cambium/config";
import type { PreAccount } from "@cambium/conformance";
import { fromHex, publicKeyToAddress, secp256k1, toData, toQuantity } from "@cambium/primitives";
import { signTransaction, type Transaction } from "@cambium/types";
import { nativeCallData } from "./call-data.js";
import { CodeWriter } from "./random-code.js";
import type { RandomSource } from "./random-source.js";

/** A block of a few transactions with its own accounts: a line of `test/vectors/state-tests` without results. */
export interface ExecutionCase {
  name: string;
  env: { coinbase: string; difficulty: string; gasLimit: string; timestamp: string; minimumGasPrice: string };
  pre: Record<string, PreAccount>;
  runs: [{ id: string; network: NetworkName; number: number; txs: string[] }];
}

type NetworkName = "main" | "testnet" | "regtest";

/** Keys of the networks by their names in vectors. */
export const NETWORK_KEYS = { main: "main", testnet: "test", regtest: "local" } as const satisfies Record<
  NetworkName,
  keyof typeof NETWORKS
>;

const CHAIN_IDS = { main: 30, testnet: 31, regtest: 33 } as const;

/** Blocks before, at and after each height at which execution changes. */
const HEIGHTS: Readonly<Record<NetworkName, readonly number[]>> = {
  main: [
    1, 3396, 3397, 369999, 370000, 728999, 729000, 1052699, 1052700, 1590999, 1591001, 2017999, 2018000, 2392699,
    2392701, 3614799, 3614801, 4598500, 5468000, 6223699, 6223701, 7338023, 7338024, 8052199, 8052201, 8804199, 8804201,
  ],
  testnet: [1, 113999, 503999, 504000, 863001, 2060499, 2060501, 4927101, 6110487, 6835701, 7139600, 7604200],
  regtest: [2, 2000],
};

const KEY = fromHex("c0".repeat(32));
export const SENDER = publicKeyToAddress(secp256k1.publicKey(KEY)!);
const CONTRACTS = [1, 2, 3].map((n) => fromHex(`c0de${n.toString(16).padStart(36, "0")}`));
const PLAIN_ACCOUNT = fromHex("aa".repeat(20));
/** Contracts that have accounts on the live networks. */
const NATIVES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x01000006, 0x01000008, 0x01000009, 0x01000010, 0x01000011];

export function randomCase(random: RandomSource, name: string): ExecutionCase {
  const network = random.pick(["main", "main", "main", "testnet", "regtest", "regtest"] as const);
  const number = random.pick(HEIGHTS[network]);
  const txs = Array.from({ length: 1 + random.below(3) }, (_, nonce) =>
    toData(randomTransaction(random, BigInt(nonce), CHAIN_IDS[network]).encoded),
  );
  return {
    name,
    env: {
      coinbase: toData(PLAIN_ACCOUNT),
      difficulty: "0x1",
      gasLimit: "0x67c280",
      timestamp: toQuantity(random.chance(0.9) ? 1_700_000_000n : 2n ** 53n + BigInt(random.below(1000))),
      minimumGasPrice: "0x0",
    },
    pre: randomAccounts(random),
    runs: [{ id: `${network}-${number}`, network, number, txs }],
  };
}

function randomAccounts(random: RandomSource): Record<string, PreAccount> {
  const accounts: Record<string, PreAccount> = {
    [toData(SENDER)]: { nonce: "0x0", balance: toQuantity(10n ** 18n) },
    [toData(PLAIN_ACCOUNT)]: { nonce: "0x0", balance: "0x0" },
  };
  for (const address of CONTRACTS) {
    const code = randomCode(random, 1 + random.below(6));
    accounts[toData(address)] = {
      nonce: toQuantity(random.below(2)),
      balance: toQuantity(random.pick([0, 1, 1000])),
      code: toData(code),
      ...(random.chance(0.5) ? { storage: { [`0x${"0".repeat(64)}`]: "0x5" } } : {}),
      contract: true,
    };
  }
  if (random.chance(0.5)) {
    for (const native of NATIVES) {
      accounts[`0x${native.toString(16).padStart(40, "0")}`] = { nonce: "0x0", balance: "0x0", contract: true };
    }
  }
  return accounts;
}

function randomCode(random: RandomSource, statements: number): Uint8Array {
  return new CodeWriter(random, { accounts: [...CONTRACTS, PLAIN_ACCOUNT, SENDER] }).write(statements);
}

function randomTransaction(random: RandomSource, nonce: bigint, chainId: number): Transaction {
  const request = {
    nonce,
    gasPrice: random.chance(0.9) ? 1n : 0n,
    gasLimit: BigInt(random.pick([60_000, 300_000, 1_000_000, 2_000_000])) + BigInt(random.below(100)),
    value: random.chance(0.7) ? 0n : BigInt(random.below(1000)),
    ...target(random),
    chainId: random.chance(0.5) ? chainId : 0,
  };
  return signTransaction(request, KEY);
}

function target(random: RandomSource): { to?: Uint8Array; data: Uint8Array } {
  const kind = random.next();
  if (kind < 0.45) return { to: random.pick(CONTRACTS), data: random.bytes(random.below(100)) };
  if (kind < 0.8) return nativeCallData(random);
  return { data: randomCode(random, 1 + random.below(6)) };
}

/** Whether fees are credited with each transaction. */
export function creditsEachFee(network: Parameters<typeof rulesAt>[0], number: number): boolean {
  const rules = rulesAt(network, number);
  return !(rules.rskip144 && rules.rskip351);
}
