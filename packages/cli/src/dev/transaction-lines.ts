import type { ChainReader } from "@cambium/chain";
import { EMPTY_BYTES, equalBytes, toData } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import { CallLines } from "./call-lines.js";
import { CONSOLE_ADDRESS, consoleText } from "./console-log.js";
import type { KnownSignatures } from "./known-signatures.js";

type Replay = ChainReader["replay"];
type Tracer = NonNullable<ReturnType<Parameters<Replay>[1]>>;
type Frame = Parameters<NonNullable<Tracer["enter"]>>[0];
type TransactionOutcome = ReturnType<Replay>["outcomes"][number];

/** What is shown of a mined transaction. */
export interface MinedTransaction {
  hash: string;
  from: string;
  /** Undefined for a creation. */
  to?: string;
  /** Name of the function, or its selector. */
  function?: string;
  block: number;
  gasUsed: number;
  status: "ok" | "failed";
  /** Why it failed. */
  reason?: string;
  /** What its contracts printed. */
  console: readonly string[];
  /** Its calls, if they are asked for. */
  calls?: readonly string[];
  /** Address of the new contract. */
  created?: string;
}

type ShownOutcome = Pick<TransactionOutcome, "status" | "gasUsed"> & Partial<TransactionOutcome>;

/**
 * The transactions of a block without the reward transaction, executed again to see what they print and call, and why
 * they fail, unless they are only transfers.
 */
export function minedTransactions(
  chain: Pick<ChainReader, "replay" | "receipts" | "stateAfter">,
  block: Block,
  { names, hasCalls }: { names: KnownSignatures; hasCalls: boolean },
): MinedTransaction[] {
  const observers = block.transactions.map(() => (hasCalls ? new CallsAndConsoleTracer(names) : new ConsoleTracer()));
  const transfers = hasCalls ? undefined : transferOutcomes(chain, block);
  const outcomes = transfers ?? chain.replay(block.hash, (index) => observers[index]).outcomes;
  return block.transactions.flatMap((transaction, i) =>
    transaction.isReward ? [] : [describe(transaction, block.number, outcomes[i]!, observers[i]!, names)],
  );
}

/** What a block's receipts say, if all of its transactions succeeded and none has executed code. */
function transferOutcomes(
  chain: Pick<ChainReader, "receipts" | "stateAfter">,
  { hash, header, transactions }: Block,
): readonly ShownOutcome[] | undefined {
  const receipts = chain.receipts(hash);
  const before = chain.stateAfter(header.parentHash);
  const isTransfer = ({ isReward, isCreation, to }: Transaction, i: number) =>
    isReward || (receipts?.[i]?.status === 1 && !isCreation && before?.getCode(to).length === 0);
  return transactions.every(isTransfer) ? receipts : undefined;
}

/** What contracts print. */
class ConsoleTracer implements Tracer {
  readonly printed: string[] = [];

  enter({ to, input }: Frame): void {
    if (!equalBytes(to, CONSOLE_ADDRESS)) return;
    const text = consoleText(input);
    if (text !== undefined) this.printed.push(text);
  }
}

class CallsAndConsoleTracer extends CallLines {
  private readonly console = new ConsoleTracer();

  get printed(): readonly string[] {
    return this.console.printed;
  }

  override enter(frame: Frame): void {
    this.console.enter(frame);
    super.enter(frame);
  }
}

function describe(
  transaction: Transaction,
  block: number,
  outcome: ShownOutcome,
  observer: ConsoleTracer | CallsAndConsoleTracer,
  names: KnownSignatures,
): MinedTransaction {
  const { isCreation, data, to } = transaction;
  const name = isCreation ? undefined : names.functionName(data);
  const failed = outcome.status !== 1;
  return {
    hash: toData(transaction.hash),
    from: toData(transaction.sender ?? EMPTY_BYTES),
    ...(isCreation ? {} : { to: toData(to) }),
    ...(name === undefined ? {} : { function: name }),
    block,
    gasUsed: outcome.gasUsed,
    status: failed ? "failed" : "ok",
    ...(failed ? { reason: reasonOf(outcome, names) } : {}),
    console: observer.printed,
    ...(observer instanceof CallsAndConsoleTracer ? { calls: observer.lines } : {}),
    ...(isCreation && !failed ? { created: toData(transaction.createdAddress!) } : {}),
  };
}

function reasonOf({ reverted, output, exception }: ShownOutcome, names: KnownSignatures): string {
  if (reverted) return `reverted ${names.revertText(output ?? EMPTY_BYTES)}`;
  return exception?.message ?? "failed";
}

/** One line for the transaction, and indented ones for each thing that it printed and for its calls. */
export function textOf(transaction: MinedTransaction): string {
  const { hash, from, to, function: name, block, gasUsed, status, reason, created, console, calls = [] } = transaction;
  const target =
    to === undefined ? `creates ${created ?? "a contract"}` : `to ${to}${name === undefined ? "" : ` ${name}`}`;
  const result = reason === undefined ? status : `${status}: ${reason}`;
  const printed = console.flatMap((text) => text.split("\n")).map((text) => `  console.log: ${text}`);
  const lines = [...printed, ...calls.map((text) => `  ${text}`)];
  return [`${hash} from ${from} ${target}, block ${block}, gas ${gasUsed}, ${result}`, ...lines].join("\n");
}
