import type { Simulation, StoredChainReader } from "@cambium/chain";
import type { EthereumHardfork, LocalCall } from "@cambium/evm";
import { fromHex } from "@cambium/primitives";
import type { Command } from "commander";
import { withReader } from "../database.js";
import { CliError } from "../errors.js";
import {
  dataDirOption,
  jsonOption,
  networkOption,
  parseJson,
  parseNumber,
  resolveDataDir,
  resolveNetwork,
} from "../options.js";
import { print, printJson } from "../output.js";
import { type Comparison, compareRuns, type ShownOutcome } from "../what-if/comparison.js";
import { type OpcodeUse, RecordedRun, type RecordedStep } from "../what-if/recorded-run.js";

interface WhatIfOptions {
  network: string;
  dataDir?: string;
  json?: boolean;
  hardfork: string;
  call?: string;
  block?: string;
}

/** Gas of a call that names none. */
const CALL_GAS = 6_800_000n;
/** Opcodes of the text output. */
const SHOWN_OPCODES = 12;

/** `node-cli what-if`: compares a transaction or call with what Ethereum would make of it, on this chain's state. */
export function whatIfCommand(program: Command): void {
  program
    .command("what-if")
    .description("execute a transaction or a call under the rules of Ethereum too, and show where they part")
    .argument("[transaction]", "hash of a transaction of the best chain; or use --call")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .requiredOption("--hardfork <name>", "hard fork of Ethereum, such as prague")
    .option("--call <json>", 'call object, such as {"to": "0x…", "data": "0x…"}, instead of a transaction')
    .option("--block <number>", "block after which the call is executed (default: the best one)")
    .addOption(jsonOption())
    .action(async (transaction: string | undefined, options: WhatIfOptions) => {
      const network = await resolveNetwork(options.network);
      const hardfork = await resolveHardfork(options.hardfork);
      await withReader(network, resolveDataDir(options.dataDir, network), async (chain) => {
        const open = await subject(chain, transaction, options);
        const comparison = await compare(chain, open, hardfork);
        if (options.json) printJson({ rules: `ethereum/${hardfork}`, ...comparison });
        else for (const line of lines(comparison, hardfork)) print(line);
      });
    });
}

async function resolveHardfork(name: string): Promise<EthereumHardfork> {
  const { ETHEREUM_HARDFORKS, ethereumHardfork } = await import("@cambium/evm");
  const hardfork = ethereumHardfork(name);
  if (hardfork === undefined) throw invalid("--hardfork", name, `one of ${ETHEREUM_HARDFORKS.join(", ")}`);
  return hardfork;
}

/** A call, and a way to open the state on which it is executed, anew for each run. */
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
    throw invalid("what-if", transaction ?? "", "either the hash of a transaction, or --call");
  }
  if (transaction === undefined) return callSubject(chain, call!, block);
  if (block !== undefined) throw invalid("--block", block, "none with a transaction, which has its block");
  return transactionSubject(chain, transaction);
}

function transactionSubject(chain: StoredChainReader, text: string): Subject {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (digits === undefined) throw invalid("transaction", text, "a hash of 32 bytes in hex");
  const found = chain.findTransaction(fromHex(digits));
  if (found === undefined) throw invalid("transaction", text, "a transaction of the best chain of this database");
  const { transaction, block, index } = found;
  const { sender, to, data, value, gasPrice, gasLimit, isReward } = transaction;
  if (isReward || sender === undefined) throw invalid("transaction", text, "one that a user has sent");
  return {
    call: { from: sender, to, data, value, gasPrice, gasLimit },
    open: () => chain.openTransaction(block, index),
  };
}

async function callSubject(chain: StoredChainReader, text: string, block: string | undefined): Promise<Subject> {
  // JSON-RPC reads call objects; it takes a while to load.
  const { CALL_OBJECT, RpcError } = await import("@cambium/rpc");
  const { gas = CALL_GAS, ...call } = parseCall();
  const number = block === undefined ? chain.best().header.number : parseNumber("--block", block);
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

function invalid(option: string, value: string, expected: string): CliError {
  return new CliError({ code: "INVALID_OPTION", option, value, expected });
}

async function compare(
  chain: StoredChainReader,
  { call, open }: Subject,
  hardfork: EthereumHardfork,
): Promise<Comparison> {
  const { executeEthereum } = await import("@cambium/evm/ethereum");
  const { chainId } = chain.network;
  const here = await record(async (tracer) => {
    const simulation = open();
    return simulation.execute(call, simulation.block, tracer);
  });
  const there = await record((tracer) => executeEthereum(call, { hardfork, chainId, ...open(), tracer }));
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

function lines({ here, there, isSameOutcome, firstDifference, opcodes }: Comparison, hardfork: string): string[] {
  return [
    row("", "this chain", `ethereum/${hardfork}`),
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
    ...opcodes
      .slice(0, SHOWN_OPCODES)
      .map(({ name, here: ours, there: theirs }) => row(name, useText(ours), useText(theirs))),
    ...(opcodes.length > SHOWN_OPCODES ? [`and ${opcodes.length - SHOWN_OPCODES} more: see --json`] : []),
  ];
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
