import type { DerivedKey } from "@cambium/accounts";
import type { Node } from "@cambium/node";
import { authority, shownUrl, toData } from "@cambium/primitives";
import { servesDashboard } from "@cambium/rpc/config";
import { print, printLine } from "../output.js";
import type { DevOptions } from "./dev-flags.js";
import { devRpcConfig } from "./dev-rpc-config.js";
import { greetingLines, replacementLines } from "./greeting.js";
import type { SignatureSource } from "./known-signatures.js";

/** Prints where the node serves, its chain and the accounts. */
export function printGreeting({ addresses, chain }: Node, options: DevOptions, keys: readonly DerivedKey[]): void {
  const place = authority(addresses);
  const { chainId, fork } = chain.network;
  const { mnemonic, balance, "data-dir": dataDir } = options;
  const url = `http://${place}`;
  const hasDashboard = servesDashboard(devRpcConfig(options));
  const about = { url, wsUrl: `ws://${place}`, hasDashboard, chainId, mnemonic, keys, balance, dataDir, fork };
  if (options["log.format"] === "json") printLine({ url, chainId, mnemonic });
  else for (const line of greetingLines(about)) print(line);
}

/** Prints which chain `hardhat_reset` has begun, and then its transactions. */
export async function printReplacement(
  node: Node,
  options: DevOptions,
  abis: SignatureSource | undefined,
): Promise<void> {
  const { chainId, fork } = node.chain.network;
  if (options["log.format"] === "json") {
    const origin = fork && { source: shownUrl(fork.source), number: fork.number, hash: toData(fork.hash) };
    printLine({ chainId, fork: origin });
  } else {
    for (const line of replacementLines(chainId, fork)) print(line);
  }
  await printTransactions(node, options, abis);
}

/** Prints each transaction that a block of the node's present chain contains, unless `--quiet` is given. */
export async function printTransactions(
  { chain, localMiner }: Node,
  options: DevOptions,
  abis: SignatureSource | undefined,
): Promise<void> {
  if (options.quiet) return;
  const [{ minedTransactions, textOf }, { KnownSignatures }] = await Promise.all([
    import("./transaction-lines.js"),
    import("./known-signatures.js"),
  ]);
  const names = new KnownSignatures(abis);
  chain.on((event) => {
    const isMined = event.kind === "newHead" || (event.kind === "reorg" && event.reorganisation.added.length > 0);
    if (!isMined || !localMiner!.next.isLogged || event.block.transactions.length < 2) return;
    for (const transaction of minedTransactions(chain, event.block, { names, hasCalls: localMiner!.next.isTraced })) {
      if (options["log.format"] === "json") printLine(transaction);
      else print(textOf(transaction));
    }
  });
}
