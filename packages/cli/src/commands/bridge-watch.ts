import { setTimeout as sleep } from "node:timers/promises";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { audit } from "../bridge/audit.js";
import { type BridgeSource, withBridge } from "../bridge/bridge-source.js";
import { describeWatched, type Watched, watchLines } from "../bridge/watched.js";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, text, type Values } from "../flags/flag.js";
import { interruptSignal } from "../interrupt.js";
import { ParentNode, parentAddress } from "../miner/parent-node.js";
import { JSON_OUTPUT, NETWORK } from "../options.js";
import { print, printLine, ReplacedLines } from "../output.js";

/** Number of blocks that are searched for signed transactions not registered yet. */
const EVENT_BLOCKS = 10_000;
const LONGEST_INTERVAL = 3_600_000;

const FLAGS = {
  network: NETWORK,
  rpc: text("url", "JSON-RPC endpoint of the node, e.g. http://127.0.0.1:4444", { isRequired: true }),
  parent: text(
    "url",
    "JSON-RPC endpoint of a parent-chain node (Bitcoin Core), for peg-ins and confirmations on the parent chain",
  ),
  interval: integer("ms", "pause between two looks for new blocks in milliseconds", {
    default: "1000",
    max: LONGEST_INTERVAL,
  }),
  count: integer("n", "end after this number of new blocks"),
  json: JSON_OUTPUT,
};

/** `node-cli bridge watch`: shows the peg after each new block of either chain. */
export function bridgeWatchCommand(bridge: Command): void {
  const command = bridge
    .command("watch")
    .description(
      "show peg-ins and peg-outs under way, confirmations, missing signatures and limits after each new block",
    );
  withFlags(command, FLAGS, watch);
}

async function watch(options: Values<typeof FLAGS>): Promise<void> {
  const parent = options.parent === undefined ? undefined : new ParentNode(parentAddress(options.parent));
  const { interval, count = Number.POSITIVE_INFINITY } = options;
  const signal = interruptSignal();
  const table = process.stdout.isTTY ? new ReplacedLines(process.stdout) : undefined;
  let last = "";
  let shown = 0;
  while (shown < count && !signal.aborted) {
    try {
      const parentHash = await parent?.bestHash();
      await withBridge(options, async (source) => {
        const seen = `${toData(source.block.hash)} ${parentHash}`;
        if (seen === last) return;
        const watched = await look(source, parent);
        last = seen;
        shown++;
        if (options.json) printLine(watched);
        else if (table !== undefined) table.show(watchLines(watched));
        else for (const line of [...watchLines(watched), ""]) print(line);
      });
    } catch (error) {
      // A node that was there before may be back.
      if (last === "" || !isUnreachable(error)) throw error;
      process.stderr.write(`${(error as Error).message}\n`);
    }
    if (shown < count) await sleep(interval, undefined, { signal }).catch(() => undefined);
  }
}

function isUnreachable(error: unknown): boolean {
  const code = (error as { details?: { code?: unknown } }).details?.code;
  return (error instanceof CliError && code === "RPC") || code === "FORK_SOURCE";
}

async function look(source: BridgeSource, parent: ParentNode | undefined): Promise<Watched> {
  const { LEDGER_EVENTS, pegLedger, reportBridge, reportHoldings } = await import("@cambium/bridge");
  const { network, block } = source;
  const ledger = pegLedger(network, source.logs(Math.max(block.number - EVENT_BLOCKS + 1, 0), LEDGER_EVENTS));
  const holdings = reportHoldings(network, block.number, source.state(), ledger);
  const report = reportBridge(network, block.number, source.state());
  const scan = await parent?.scan(holdings.scripts, holdings.parentChain.hash);
  const audited = scan && audit(holdings, scan, holdings.difference);
  const at = { number: block.number, hash: toData(block.hash) };
  return describeWatched({ block: at, report, holdings, scan, audited });
}
