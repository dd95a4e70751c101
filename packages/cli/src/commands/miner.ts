import { setTimeout as sleep } from "node:timers/promises";
import { SUBMISSION_METHODS, type SubmissionMethod } from "@cambium/miner/client";
import { type Command, Option } from "commander";
import { interruptSignal } from "../interrupt.js";
import { MiningClient } from "../miner/mining-client.js";
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
  json?: boolean;
}

const MOST_TRANSACTIONS = 10_000;
/** Longest delay of a timer. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

/**
 * `node-cli miner`: a merged miner for local and test networks, which plays the mining pool and the parent chain. Exit
 * status 1 if the node gives an unexpected answer.
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
    .addOption(new Option("--fault <kind>", "submit faulty solutions and check the node's answers").choices(FAULTS))
    .addOption(jsonOption())
    .action(async (options: MinerOptions) => {
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
