import { readFileSync } from "node:fs";
import { type DerivedKey, mnemonicKeys } from "@cambium/accounts";
import { MAX_CHAIN_ID, MIN_GAS_LIMIT } from "@cambium/config";
import { authority, toChecksumAddress, toData, toQuantity } from "@cambium/primitives";
import { pino } from "pino";
import { ArtifactStore } from "./artifacts/artifact-store.js";
import { type DevForkOptions, DevNode } from "./composition/dev-node.js";
import { devRpcConfig } from "./composition/dev-rpc-config.js";
import type { LineStyle } from "./console/console-line.js";
import { DevConsole, shownText } from "./console/dev-console.js";
import { KnownSignatures } from "./console/known-signatures.js";
import { DevError, invalid } from "./errors.js";
import { DevelopmentProvider } from "./provider.js";

/** The mnemonic that tools of developers share. */
const DEFAULT_MNEMONIC = "test test test test test test test test test test test junk";
/** Wei of each account: 10,000 coins. */
const DEFAULT_BALANCE = 10n ** 22n;
const DEFAULT_ACCOUNTS = 10;
const MAX_ACCOUNTS = 1000;
const LOOPBACK = "127.0.0.1";
const PLAIN: LineStyle = { hasColour: false, isVerbose: false };

/** The chain to start; everything has a default. */
export interface DevelopmentChainOptions {
  /** Number of funded accounts: 10. */
  accounts?: number;
  /** Words from which the keys of the accounts are derived; by default those that tools of developers share. */
  mnemonic?: string;
  /** Wei of each account: 10,000 coins. */
  balance?: bigint;
  /** Gas limit of blocks and of the largest transaction: 10,000,000, or that of the forked block. */
  gasLimit?: number;
  /** Minimum gas price in wei: 0. */
  gasPrice?: bigint;
  /** 33, or that of the forked chain. */
  chainId?: number;
  /** Seconds between blocks; undefined: a block for every transaction. */
  blockTime?: number;
  /** State at the beginning: a JSON-RPC endpoint or the data folder of a stopped node, or more options of a fork. */
  fork?: string | DevForkOptions;
  /** Folder that keeps the chain; undefined: a temporary one. */
  dataDir?: string;
  /** Receives the lines that `node-cli dev` prints: transactions, failures, and the output of contracts. */
  print?: (line: string) => void;
  /** Files and folders of ABIs, which name functions, events and errors in these lines and in errors. */
  abi?: readonly string[];
}

/** A funded account. */
export interface DevelopmentAccount {
  address: string;
  privateKey: string;
}

/** A running chain in this process. */
export class DevelopmentChain {
  readonly provider: DevelopmentProvider;
  readonly accounts: readonly DevelopmentAccount[];

  /** See {@link startDevelopmentChain}. */
  constructor(
    private readonly dev: DevNode,
    keys: readonly DerivedKey[],
  ) {
    const { node } = dev;
    this.accounts = keys.map(({ address, privateKey }) => ({
      address: toChecksumAddress(address),
      privateKey: toData(privateKey),
    }));
    const held = keys.map(({ address }) => toData(address));
    this.provider = new DevelopmentProvider(
      (deliver) => node.connect(deliver),
      toQuantity(node.chain.network.chainId),
      held,
    );
    node.onChainReplaced(() => this.provider.chainReplaced(toQuantity(node.chain.network.chainId)));
  }

  /** URL of JSON-RPC, over HTTP and WebSocket; from now on, a free port of this machine serves the chain too. */
  async url(): Promise<string> {
    return `http://${authority(await this.dev.listen())}`;
  }

  /** Takes a snapshot, and resolves to its id. */
  async snapshot(): Promise<string> {
    return String(await this.provider.request({ method: "evm_snapshot" }));
  }

  /** Returns to a snapshot, which ends then. Rejects with {@link DevError} `UNKNOWN_SNAPSHOT`. */
  async revert(id: string): Promise<void> {
    const isDone = await this.provider.request({ method: "evm_revert", params: [id] });
    if (isDone !== true) throw new DevError({ code: "UNKNOWN_SNAPSHOT", id });
  }

  /** Mines blocks, with the pending transactions in the first one. */
  async mine(blocks = 1): Promise<void> {
    await this.provider.request({ method: "evm_mine", params: [{ blocks }] });
  }

  /** Ends everything: the process can end by itself then. */
  async stop(): Promise<void> {
    this.provider.disconnect();
    await this.dev.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Starts a chain for development in this process: no port, no other process. Several can run at a time. Rejects with
 * {@link DevError}, or `ChainError` if the source of a fork cannot be read.
 */
export async function startDevelopmentChain(options: DevelopmentChainOptions = {}): Promise<DevelopmentChain> {
  const { accounts = DEFAULT_ACCOUNTS, mnemonic = DEFAULT_MNEMONIC, fork, blockTime, print, abi } = options;
  requireValid(options);
  const artifacts = new ArtifactStore(abi);
  const names = new KnownSignatures(artifacts.abis);
  const keys = mnemonicKeys(mnemonic, accounts);
  const version = ownVersion();
  const console = print && new DevConsole(names, (shown) => print(shownText(shown, PLAIN)));
  const dev = await DevNode.start(
    {
      keys,
      balance: options.balance ?? DEFAULT_BALANCE,
      gasLimit: options.gasLimit,
      minimumGasPrice: options.gasPrice ?? 0n,
      chainId: options.chainId,
      blockInterval: blockTime === undefined ? undefined : Math.round(blockTime * 1000),
      fork: typeof fork === "string" ? { source: fork } : (fork ?? {}),
      dataDir: options.dataDir,
      rpc: devRpcConfig({ host: LOOPBACK, port: 0 }),
      listensLater: true,
      clientVersion: `HardhatNetwork/compatible/Cambium/${version}`,
      version: `Cambium/${version}`,
      artifacts,
      revertText: (data) => names.revertText(data, "whole", "short"),
      onFailedRequest: console && ((request) => console.requestFailed(request)),
    },
    pino({ level: "silent" }),
  );
  console?.watch(dev!.node);
  return new DevelopmentChain(dev!, keys);
}

/** Throws {@link DevError} `INVALID_OPTION`. */
function requireValid({ accounts, mnemonic, gasLimit, chainId, blockTime }: DevelopmentChainOptions): void {
  const words = mnemonic?.trim().split(/\s+/).length ?? 12;
  const minimumGas = Number(MIN_GAS_LIMIT);
  const checks: [option: string, value: unknown, isValid: boolean, expected: string][] = [
    ["accounts", accounts, isInteger(accounts, 0, MAX_ACCOUNTS), `a whole number up to ${MAX_ACCOUNTS}`],
    ["mnemonic", `${words} words`, [12, 15, 18, 21, 24].includes(words), "12, 15, 18, 21 or 24 words"],
    ["gasLimit", gasLimit, isInteger(gasLimit, minimumGas, Number.MAX_SAFE_INTEGER), `at least ${minimumGas}`],
    [
      "chainId",
      chainId,
      isInteger(chainId, 1, MAX_CHAIN_ID) && chainId !== 30 && chainId !== 31,
      `1 to ${MAX_CHAIN_ID}, but not 30 or 31, the ids of public networks`,
    ],
    [
      "blockTime",
      blockTime,
      blockTime === undefined || (blockTime >= 0.001 && blockTime < 2 ** 21),
      "seconds, at least 0.001",
    ],
  ];
  for (const [option, value, isValid, expected] of checks) {
    if (!isValid) throw invalid(option, String(value), expected);
  }
}

function isInteger(value: number | undefined, minimum: number, maximum: number): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= minimum && value <= maximum);
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}
