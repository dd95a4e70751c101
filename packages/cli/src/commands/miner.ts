import { setTimeout as sleep } from "node:timers/promises";
import { TAG_PLACES, type TagPlace } from "@cambium/merged-mining";
import { SUBMISSION_METHODS, type SubmissionMethod } from "@cambium/miner/client";
import { type Command, Option } from "commander";
import { CliError } from "../errors.js";
import { interruptSignal } from "../interrupt.js";
import { type ChainTally, MergedMiner } from "../miner/merged-miner.js";
import { MiningClient } from "../miner/mining-client.js";
import { MiningTable } from "../miner/mining-table.js";
import { ParentNode, parentAddress } from "../miner/parent-node.js";
import { FAULTS, type Fault, type Rehearsal, type RehearsalOptions, rehearse } from "../miner/rehearsal.js";
import { printedReport, printOutcome } from "../miner/report.js";
import { jsonOption, parseNumber } from "../options.js";
import { printJson } from "../output.js";

interface MinerOptions {
  rpc: string;
  transactions: string;
  method: SubmissionMethod;
  count: string;
  interval: string;
  fault?: Fault;
  parent?: string;
  payout?: string;
  tag: TagPlace;
  json?: boolean;
}

const MOST_TRANSACTIONS = 10_000;
/** Longest delay of a timer. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

/**
 * `node-cli miner`: a merged miner for local and test networks, which plays the mining pool and, without `--parent`,
 * the parent chain. Exit status 1 if the node gives an unexpected answer.
 */
export function minerCommand(program: Command): void {
  program
    .command("miner")
    .description("mine blocks over JSON-RPC like a merged-mining pool; for low-difficulty networks")
    .requiredOption(
      "--rpc <url>",
      "JSON-RPC endpoint of a node that runs with --miner.server, e.g. http://127.0.0.1:4444",
    )
    .option("--transactions <n>", "number of transactions in the parent block besides its coinbase", "0")
    .addOption(
      new Option("--method <name>", "how to submit solutions").choices(SUBMISSION_METHODS).default("partial-merkle"),
    )
    .option("--count <n>", "number of blocks to mine", "1")
    .option("--interval <ms>", "pause between blocks in milliseconds", "0")
    .option(
      "--parent <url>",
      "mine the parent chain of this node (Bitcoin Core) too, e.g. http://user:password@127.0.0.1:8332",
    )
    .option("--payout <address>", "parent-chain address that is paid (default: a new one of the parent node's wallet)")
    .addOption(
      new Option("--tag <place>", "where the parent chain's coinbase carries the tag")
        .choices(TAG_PLACES)
        .default("output"),
    )
    .addOption(new Option("--fault <kind>", "submit faulty solutions and check the node's answers").choices(FAULTS))
    .addOption(jsonOption())
    .action(async (options: MinerOptions) => {
      if (options.parent !== undefined) return mineWithParent(options);
      if (options.payout !== undefined) {
        throw new CliError({ code: "OPTION_REQUIRES", option: "--payout", requires: "--parent" });
      }
      const rehearsals = await run(options);
      if (options.json) printJson(rehearsals);
      if (rehearsals.some(({ asExpected }) => !asExpected)) process.exitCode = 1;
    });
}

async function run(options: MinerOptions): Promise<Rehearsal[]> {
  const { method, fault, json } = options;
  const otherTransactions = parseNumber("--transactions", options.transactions, MOST_TRANSACTIONS);
  const rehearsal: RehearsalOptions = { method, otherTransactions, fault };
  const count = parseNumber("--count", options.count);
  const interval = parseNumber("--interval", options.interval, LONGEST_INTERVAL);
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
async function mineWithParent(options: MinerOptions): Promise<void> {
  for (const [option, value] of [
    ["--fault", options.fault],
    ["--transactions", Number(options.transactions) || undefined],
  ]) {
    if (value === undefined) continue;
    throw new CliError({
      code: "INVALID_OPTION",
      option: `${option}`,
      value: `${value}`,
      expected: "none with --parent",
    });
  }
  const signal = interruptSignal();
  const parent = new ParentNode(parentAddress(options.parent!));
  const miner: MergedMiner = new MergedMiner({
    parent,
    child: new MiningClient(options.rpc),
    payoutScript: await parent.payoutScript(options.payout),
    tagPlace: options.tag,
    method: options.method,
    count: parseNumber("--count", options.count),
    interval: parseNumber("--interval", options.interval, LONGEST_INTERVAL),
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
