import { setTimeout as sleep } from "node:timers/promises";
import { TAG_PLACES } from "@cambium/merged-mining";
import { SUBMISSION_METHODS } from "@cambium/miner/client";
import type { Command } from "commander";
import { invalid, unmet } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { choice, integer, text, type Values } from "../flags/flag.js";
import { interruptSignal } from "../interrupt.js";
import { type ChainTally, MergedMiner } from "../miner/merged-miner.js";
import { MiningClient } from "../miner/mining-client.js";
import { MiningTable } from "../miner/mining-table.js";
import { ParentNode, parentAddress } from "../miner/parent-node.js";
import { FAULTS, type Rehearsal, type RehearsalOptions, rehearse } from "../miner/rehearsal.js";
import { printedReport, printOutcome } from "../miner/report.js";
import { JSON_OUTPUT } from "../options.js";
import { printJson } from "../output.js";

const MOST_TRANSACTIONS = 10_000;
/** Longest delay of a timer. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

const FLAGS = {
  rpc: text("url", "JSON-RPC endpoint of a node that runs with --miner.server, e.g. http://127.0.0.1:4444", {
    isRequired: true,
  }),
  transactions: integer("n", "number of transactions in the parent block besides its coinbase", {
    default: "0",
    max: MOST_TRANSACTIONS,
  }),
  method: choice("name", SUBMISSION_METHODS, "how to submit solutions", { default: "partial-merkle" }),
  count: integer("n", "number of blocks to mine", { default: "1" }),
  interval: integer("ms", "pause between blocks in milliseconds", { default: "0", max: LONGEST_INTERVAL }),
  parent: text(
    "url",
    "mine the parent chain of this node (Bitcoin Core) too, e.g. http://user:password@127.0.0.1:8332",
  ),
  payout: text("address", "parent-chain address that is paid (default: a new one of the parent node's wallet)"),
  tag: choice("place", TAG_PLACES, "where the parent chain's coinbase carries the tag", { default: "output" }),
  fault: choice("kind", FAULTS, "submit faulty solutions and check the node's answers"),
  json: JSON_OUTPUT,
};

type MinerOptions = Values<typeof FLAGS>;

/**
 * `node-cli miner`: a merged miner for local and test networks, which replaces the mining pool and, without `--parent`,
 * the parent chain. Exit status 1 if the node gives an unexpected answer.
 */
export function minerCommand(command: Command): void {
  withFlags(command, FLAGS, async (options) => {
    const { parent, payout, json } = options;
    if (parent !== undefined) return mineWithParent(options, parent);
    if (payout !== undefined) throw unmet("--payout", "--parent");
    const rehearsals = await run(options);
    if (json) printJson(rehearsals);
    if (rehearsals.some(({ asExpected }) => !asExpected)) process.exitCode = 1;
  });
}

async function run(options: MinerOptions): Promise<Rehearsal[]> {
  const { method, fault, json, count, interval } = options;
  const rehearsal: RehearsalOptions = { method, otherTransactions: options.transactions, fault };
  const client = new MiningClient(options.rpc);
  const signal = interruptSignal();
  const done: Rehearsal[] = [];
  try {
    while (done.length < count && !signal.aborted) {
      if (done.length > 0) await sleep(interval, undefined, { signal });
      const one = await rehearse(client, rehearsal, signal, json ? undefined : printedReport(method));
      done.push(one);
      if (!json) printOutcome(one);
    }
  } catch (error) {
    // After an interrupt, report the blocks mined so far.
    if (!signal.aborted) throw error;
  }
  return done;
}

/** `miner --parent`: exit status 1 if a node refused a solution. */
async function mineWithParent(options: MinerOptions, url: string): Promise<void> {
  const { fault, transactions, count, interval } = options;
  if (fault !== undefined) throw invalid("--fault", fault, "none with --parent");
  if (transactions > 0) throw invalid("--transactions", String(transactions), "none with --parent");
  const signal = interruptSignal();
  const parent = new ParentNode(parentAddress(url));
  const miner: MergedMiner = new MergedMiner({
    parent,
    child: new MiningClient(options.rpc),
    payoutScript: await parent.payoutScript(options.payout),
    tagPlace: options.tag,
    method: options.method,
    count,
    interval,
    onEvent: (text) => table?.event(text),
  });
  const table = options.json ? undefined : new MiningTable(process.stdout, () => miner.tally);
  try {
    await miner.run(signal);
  } finally {
    table?.close();
  }
  const { parent: parentTally, child } = miner.tally;
  if (options.json) printJson({ parent: summary(parentTally), child: summary(child), hashes: miner.tally.hashes });
  if (parentTally.refused + child.refused > 0) process.exitCode = 1;
}

function summary({ height, accepted, stale, refused, reasons }: ChainTally): object {
  return { height, accepted, stale, refused, reasons: Object.fromEntries(reasons) };
}
