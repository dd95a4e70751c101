import type { DerivedKey } from "@cambium/accounts";
import type { Shown } from "@cambium/dev";
import type { Node } from "@cambium/node";
import { authority, shownUrl, toData } from "@cambium/primitives";
import { type RpcConfig, servesDashboard } from "@cambium/rpc/config";
import { print, printLine } from "../output.js";
import type { DevOptions } from "./dev-flags.js";
import { greetingLines, replacementLines } from "./greeting.js";

/** Prints the addresses of the node, its chain and the accounts. */
export function printGreeting(
  { addresses, chain }: Node,
  rpc: RpcConfig,
  options: DevOptions,
  keys: readonly DerivedKey[],
): void {
  const place = authority(addresses);
  const { chainId, fork } = chain.network;
  const { mnemonic, balance, "data-dir": dataDir } = options;
  const url = `http://${place}`;
  const hasDashboard = servesDashboard(rpc);
  const about = { url, wsUrl: `ws://${place}`, hasDashboard, chainId, mnemonic, keys, balance, dataDir, fork };
  if (options["log.format"] === "json") printLine({ url, chainId, mnemonic });
  else for (const line of greetingLines(about)) print(line);
}

/** Prints which chain `hardhat_reset` has begun. */
export function printReplacement({ chain }: Node, options: DevOptions): void {
  const { chainId, fork } = chain.network;
  if (options["log.format"] === "json") {
    const origin = fork && { source: shownUrl(fork.source), number: fork.number, hash: toData(fork.hash) };
    printLine({ chainId, fork: origin });
  } else {
    for (const line of replacementLines(chainId, fork)) print(line);
  }
}

/** Returns a function that prints a mined transaction or a failed call; undefined with `--quiet`. */
export async function createPrinter(options: DevOptions): Promise<((shown: Shown) => void) | undefined> {
  if (options.quiet) return undefined;
  const { shownDocument, shownText } = await import("@cambium/dev");
  if (options["log.format"] === "json") return (shown) => printLine(shownDocument(shown));
  const style = { hasColour: showsColour(), isVerbose: options.verbose === true };
  return (shown) => print(shownText(shown, style));
}

/** Whether to use colour: only on a terminal, unless its user disables it (https://no-color.org). */
function showsColour(): boolean {
  return process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === "";
}
