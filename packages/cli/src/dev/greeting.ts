import type { DerivedKey } from "@cambium/accounts";
import type { ForkConfig } from "@cambium/config";
import { shownUrl, toChecksumAddress, toData } from "@cambium/primitives";
import { grouped } from "../output.js";

/** Facts that `node-cli dev` prints about itself. */
export interface Greeting {
  url: string;
  wsUrl: string;
  hasDashboard: boolean;
  chainId: number;
  mnemonic: string;
  keys: readonly DerivedKey[];
  /** Wei of each account. */
  balance: bigint;
  /** Undefined for a temporary folder. */
  dataDir: string | undefined;
  /** Undefined for a chain that is no fork. */
  fork: ForkConfig | undefined;
}

/** EVM version with the instructions of this chain, as compilers name it. */
const EVM_VERSION = "cancun";
const COIN = 10n ** 18n;

/** The lines that a developer reads first. */
export function greetingLines({
  url,
  wsUrl,
  hasDashboard,
  chainId,
  mnemonic,
  keys,
  balance,
  dataDir,
  fork,
}: Greeting): string[] {
  const coins = grouped(balance / COIN);
  return [
    "Cambium: a local chain for development. Its keys are publicly known, never send real funds to them.",
    "",
    `RPC URL      ${url} (WebSocket ${wsUrl})`,
    ...(hasDashboard ? [`Dashboard    ${url}/dashboard/`] : []),
    `Chain id     ${chainId}`,
    ...(fork === undefined ? [] : forkLines(fork)),
    `EVM version  ${EVM_VERSION} (set it in your compiler; transactions are of the legacy type)`,
    `Data         ${dataDir ?? "in a temporary folder, removed at the end"}`,
    `Mnemonic     ${mnemonic}`,
    "",
    `Accounts, each with ${coins} coins`,
    ...keys.map(({ address, privateKey }, i) => `(${i}) ${toChecksumAddress(address)}  ${toData(privateKey)}`),
    "",
    "Read on in docs/local-network.md. Press Ctrl+C to stop.",
    "",
  ];
}

/** Returns lines about a chain that replaces another one. */
export function replacementLines(chainId: number, fork: ForkConfig | undefined): string[] {
  return ["", "A new chain", `Chain id     ${chainId}`, ...(fork === undefined ? [] : forkLines(fork)), ""];
}

/** Returns lines about the block at which the chain begins, and the requirements for an endpoint. */
function forkLines({ source, number, hash }: ForkConfig): string[] {
  const lines = [`Fork of      ${shownUrl(source)}`, `             after block ${number} (${toData(hash)})`];
  if (!/^https?:/.test(source)) return lines;
  return [...lines, "             an endpoint that keeps recent states only stops answering once this block is old"];
}
