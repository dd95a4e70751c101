import type { Simulation, StoredChainReader } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { LocalCall } from "@cambium/evm";
import { fromHex } from "@cambium/primitives";
import type { Command } from "commander";
import { withReader } from "../database.js";
import { invalid } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, list, text, type Values } from "../flags/flag.js";
import { DATA_FLAGS, JSON_OUTPUT, parseJson, resolveData } from "../options.js";
import { print, printJson } from "../output.js";
import { type Alternative, ethereumRules, furtherRules, networkWithRules } from "../what-if/alternatives.js";
import type { RangeReport, StatusChange } from "../what-if/block-range.js";
import { type Comparison, compareRuns, type ShownOutcome } from "../what-if/comparison.js";
import { type OpcodeUse, RecordedRun, type RecordedStep } from "../what-if/recorded-run.js";

/** Gas of a call without a gas limit. */
const CALL_GAS = 6_800_000n;
/** Opcodes, accounts or transactions of the text output. */
const SHOWN = 12;
/** Maximum number of blocks in a range: about a month. */
const MAX_BLOCKS = 100_000;

const FLAGS = {
  ...DATA_FLAGS,
  hardfork: text("name", "hard fork of Ethereum, such as prague"),
  rules: list("names", "rules of this chain that are not active, such as rskip555, instead of --hardfork"),
  call: text("json", 'call object, such as {"to": "0x…", "data": "0x…"}, instead of a transaction'),
  block: integer("number", "block after which the call is executed (default: the best one)"),
  blocks: text("from-to", "all transactions of these blocks, with --rules"),
  json: JSON_OUTPUT,
};

type WhatIfOptions = Values<typeof FLAGS>;

/** `node-cli what-if`: compares executions with what other rules would make of them, on this chain's state. */
export function whatIfCommand(command: Command): void {
  command.argument("[transaction]", "hash of a transaction of the best chain; or use --call or --blocks");
  withFlags(command, FLAGS, async (options, transaction: string | undefined) => {
    const { network, dataDir } = await resolveData(options);
    const alternative = await alternativeOf(options, network);
    await withReader(network, dataDir, async (chain) => {
      if (options.blocks !== undefined) {
        const report = await compareBlocks(chain, transaction, options);
        if (options.json) printJson({ rules: alternative.name, ...report });
        else for (const line of rangeLines(report, alternative.name)) print(line);
        return;
      }
      const open = await subject(chain, transaction, options);
      const comparison = await compare(open, alternative);
      if (options.json) printJson({ rules: alternative.name, ...comparison });
      else for (const line of lines(comparison, alternative.name)) print(line);
    });
  });
}

function alternativeOf({ hardfork, rules }: WhatIfOptions, network: NetworkConfig): Promise<Alternative> {
  if ((hardfork === undefined) === (rules === undefined)) {
    throw invalid("what-if", "", "either --hardfork or --rules");
  }
  return hardfork === undefined ? furtherRules(rules!, network) : ethereumRules(hardfork, network);
}

async function compareBlocks(
  chain: StoredChainReader,
  transaction: string | undefined,
  { rules, call, block, blocks }: WhatIfOptions,
): Promise<RangeReport> {
  if (transaction !== undefined || call !== undefined || block !== undefined) {
    throw invalid("--blocks", blocks!, "neither a transaction, nor --call or --block with it");
  }
  if (rules === undefined) throw invalid("--blocks", blocks!, "--rules with it, not --hardfork");
  const [from, to] = blockRange(blocks!, chain.best().header.number);
  const { createChainEvm } = await import("@cambium/chain");
  const { RangeComparison } = await import("../what-if/block-range.js");
  const comparison = new RangeComparison(chain, createChainEvm(await networkWithRules(rules, chain.network)));
  for (let number = from; number <= to; number++) comparison.add(chain.blockByHash(chain.hashByNumber(number)!)!);
  return comparison.report();
}

function blockRange(text: string, best: number): [from: number, to: number] {
  const [from, to] = (/^(\d+)-(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (from === undefined || to === undefined || from < 1 || from > to || to > best || to - from >= MAX_BLOCKS) {
    throw invalid("--blocks", text, `two numbers from 1 to ${best} with - between them, at most ${MAX_BLOCKS} blocks`);
  }
  return [from, to];
}

/** A call, and a function that opens the state for each run. */
interface Subject {
  call: LocalCall;
  open(): Simulation;
}

async function subject(
  chain: StoredChainReader,
  transaction: string | undefined,
  { call, block }: WhatIfOptions,
): Promise<Subject> {
  if ((transaction === undefined) === (call === undefined)) {
    throw invalid("what-if", transaction ?? "", "the hash of a transaction, --call, or --blocks");
  }
  if (transaction === undefined) return callSubject(chain, call!, block);
  if (block !== undefined) throw invalid("--block", String(block), "none with a transaction, which has its block");
  return transactionSubject(chain, transaction);
}

function transactionSubject(chain: StoredChainReader, text: string): Subject {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (digits === undefined) throw invalid("transaction", text, "a hash of 32 bytes in hex");
  const found = chain.findTransaction(fromHex(digits));
  if (found === undefined) throw invalid("transaction", text, "a transaction of the best chain of this database");
  const { transaction, header, index } = found;
  const { sender, to, data, value, gasPrice, gasLimit, isReward } = transaction;
  if (isReward || sender === undefined) throw invalid("transaction", text, "one that a user has sent");
  return {
    call: { from: sender, to, data, value, gasPrice, gasLimit },
    open: () => chain.openTransaction(chain.blockByHash(header.hash)!, index),
  };
}

async function callSubject(chain: StoredChainReader, text: string, block: number | undefined): Promise<Subject> {
  // JSON-RPC reads call objects; it takes a while to load.
  const { CALL_OBJECT, RpcError } = await import("@cambium/api");
  const { gas = CALL_GAS, ...call } = parseCall();
  const number = block ?? chain.best().header.number;
  const hash = chain.hashByNumber(number);
  if (hash === undefined) throw invalid("--block", String(number), "a block of the best chain of this database");
  return { call: { ...call, gasLimit: gas }, open: () => chain.openSimulation(hash) };

  function parseCall() {
    try {
      return CALL_OBJECT.parse(parseJson("--call", text), undefined);
    } catch (error) {
      throw error instanceof RpcError ? invalid("--call", text, `a call object (${error.toObject().message})`) : error;
    }
  }
}

async function compare({ call, open }: Subject, alternative: Alternative): Promise<Comparison> {
  const here = await record(async (tracer) => {
    const simulation = open();
    return simulation.execute(call, simulation.block, tracer);
  });
  const there = await record((tracer) => alternative.execute(call, open(), tracer));
  return compareRuns(here, there, call.gasLimit);
}

async function record(
  execute: (tracer: RecordedRun) => Promise<NonNullable<RecordedRun["outcome"]>>,
): Promise<RecordedRun> {
  const { EvmError } = await import("@cambium/evm");
  const run = new RecordedRun();
  try {
    run.outcome = await execute(run);
  } catch (error) {
    if (!(error instanceof EvmError)) throw error;
    run.refusal = error.message;
  }
  return run;
}

function lines({ here, there, isSameOutcome, firstDifference, opcodes }: Comparison, name: string): string[] {
  return [
    row("", "this chain", name),
    row("status", statusOf(here), statusOf(there)),
    row("gas used", here.gasUsed ?? "–", there.gasUsed ?? "–"),
    row("of it at first", here.intrinsicGas ?? "–", there.intrinsicGas ?? "–"),
    row("output", shortened(here.output), shortened(there.output)),
    row("logs", here.logs?.length ?? 0, there.logs?.length ?? 0),
    row("steps", here.steps, there.steps),
    "",
    isSameOutcome ? "The outcome is the same." : "The outcome differs.",
    ...(firstDifference === undefined
      ? ["Both ran the same steps."]
      : [
          `They part at step ${firstDifference.index}:`,
          row("", stepText(firstDifference.here), stepText(firstDifference.there)),
        ]),
    ...(opcodes.length === 0 ? [] : ["", "Gas by opcode, without the calls that it made, where it differs:"]),
    ...opcodes.slice(0, SHOWN).map(({ name, here: ours, there: theirs }) => row(name, useText(ours), useText(theirs))),
    ...more(opcodes.length),
  ];
}

function rangeLines(report: RangeReport, name: string): string[] {
  const { blocks, transactions, gasHere, gasThere, differentGas, differentStatus, statusChanges, recipients } = report;
  const changed = recipients.filter((one) => one.gasHere !== one.gasThere || one.failures > 0);
  return [
    `${transactions} transactions of ${blocks} blocks: ${differentGas} use other gas, ${differentStatus} have another status.`,
    "",
    row("", "this chain", name),
    row("gas used", gasHere, gasThere),
    ...(statusChanges.length === 0 ? [] : ["", "Another status:"]),
    ...statusChanges.slice(0, SHOWN).map(statusText),
    ...more(differentStatus),
    ...(changed.length === 0 ? [] : ["", "Gas by recipient, where it differs:"]),
    ...changed.slice(0, SHOWN).map((one) => {
      const failures = one.failures === 0 ? "" : `, ${one.failures} of ${one.transactions} fail`;
      return `${one.to ?? "(creation)"}  ${one.gasHere} ${one.gasThere}${failures}`;
    }),
    ...more(changed.length),
  ];
}

function statusText({ hash, here, there, gasLimit, reason }: StatusChange): string {
  return `${hash} ${here}, then ${there}${reason === undefined ? "" : ` (${reason})`}, gas limit ${gasLimit}`;
}

function more(count: number): string[] {
  return count > SHOWN ? [`and ${count - SHOWN} more: see --json`] : [];
}

function row(name: string, here: string | number, there: string | number): string {
  return `${name.padEnd(16)} ${String(here).padEnd(34)} ${there}`.trimEnd();
}

function statusOf({ status, reason }: ShownOutcome): string {
  return reason === undefined ? status : `${status}: ${reason}`;
}

function shortened(output: string | undefined): string {
  if (output === undefined) return "–";
  return output.length <= 32 ? output : `${output.slice(0, 20)}… (${output.length / 2 - 1} bytes)`;
}

function stepText(step: RecordedStep | undefined): string {
  return step === undefined ? "ended" : `${step.name} at ${step.pc}, depth ${step.depth}, gas ${step.gas}`;
}

function useText({ count, gas }: Pick<OpcodeUse, "count" | "gas">): string {
  return `${gas} (${count} times)`;
}
