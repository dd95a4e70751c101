import type { ChainReader } from "@cambium/chain";
import { EMPTY_BYTES, equalBytes, fromHex, toChecksumAddress, toData } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import { addressText, hexText, printable, type ValueForm } from "./abi-text.js";
import { CallLines } from "./call-lines.js";
import { type LineParts, type LineStyle, lineOf } from "./console-line.js";
import { CONSOLE_ADDRESS, consoleText } from "./console-log.js";
import type { KnownSignatures } from "./known-signatures.js";
import { stateEditText } from "./state-edit-text.js";

type Replay = ChainReader["replay"];
type Tracer = NonNullable<ReturnType<Parameters<Replay>[1]>>;
type Frame = Parameters<NonNullable<Tracer["enter"]>>[0];
type TransactionOutcome = ReturnType<Replay>["outcomes"][number];

/** A mined transaction in the console. */
export interface MinedTransaction {
  hash: string;
  from: string;
  /** Undefined for a creation. */
  to?: string;
  /** Name of the contract that is called or created, if it is known. */
  contract?: string;
  /** Signature of the function, or its selector. */
  function?: string;
  /** The function with its arguments. */
  call?: string;
  /** Wei. */
  value?: string;
  block: number;
  gasUsed: number;
  status: "ok" | "failed";
  /** Why it failed. */
  reason?: string;
  /** Decoded events of its contracts. */
  events?: readonly string[];
  /** Lines that its contracts printed. */
  console: readonly string[];
  /** Calls of the transaction, if requested. */
  calls?: readonly string[];
  /** Address of the new contract. */
  created?: string;
}

/** A mined transaction, and its line. */
export interface ShownTransaction {
  mined: MinedTransaction;
  line: LineParts;
}

type ShownOutcome = Pick<TransactionOutcome, "status" | "gasUsed" | "logs"> & Partial<TransactionOutcome>;

/**
 * Returns the transactions of a block without the reward transaction. They are executed again, unless they are only
 * transfers, to see their output, their calls and the reasons of failures.
 */
export function minedTransactions(
  chain: Pick<ChainReader, "replay" | "receipts" | "stateAfter">,
  block: Block,
  { names, hasCalls }: { names: KnownSignatures; hasCalls: boolean },
): ShownTransaction[] {
  const observers = block.transactions.map(() => (hasCalls ? new CallsAndConsoleTracer(names) : new ConsoleTracer()));
  const transfers = hasCalls ? undefined : transferOutcomes(chain, block);
  const outcomes = transfers ?? chain.replay(block.hash, (index) => observers[index]).outcomes;
  const after = chain.stateAfter(block.hash);
  return block.transactions.flatMap((transaction, i) => {
    if (transaction.isReward) return [];
    const { to, data, isCreation, createdAddress } = transaction;
    const code = isCreation ? data : (after?.getCode(to) ?? EMPTY_BYTES);
    const contract = names.contractName(code, isCreation);
    const outcome = outcomes[i]!;
    const created = isCreation && outcome.status === 1 ? createdAddress : undefined;
    const mined = { transaction, contract, created, block: block.number, outcome, observer: observers[i]!, names };
    return [{ mined: describe(mined), line: lineParts(mined) }];
  });
}

/** Returns the outcomes from a block's receipts, if all of its transactions succeeded and none has executed code. */
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

/** Collects the output of contracts to the console. */
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

interface Mined {
  transaction: Transaction;
  contract: string | undefined;
  created: Uint8Array | undefined;
  block: number;
  outcome: ShownOutcome;
  observer: ConsoleTracer | CallsAndConsoleTracer;
  names: KnownSignatures;
}

function describe({ transaction, contract, created, block, outcome, observer, names }: Mined): MinedTransaction {
  const { isCreation, data, to, value } = transaction;
  const name = isCreation ? undefined : names.functionName(data);
  const call = isCreation || name === undefined ? undefined : names.call(data, "whole");
  const failed = outcome.status !== 1;
  const events = eventsOf(outcome, names, "whole");
  return {
    hash: toData(transaction.hash),
    from: toData(transaction.sender ?? EMPTY_BYTES),
    ...(isCreation ? {} : { to: toData(to) }),
    ...(contract === undefined ? {} : { contract }),
    ...(name === undefined ? {} : { function: name }),
    ...(call === undefined ? {} : { call: `${call.name}(${call.arguments})` }),
    ...(value === 0n ? {} : { value: String(value) }),
    block,
    gasUsed: outcome.gasUsed,
    status: failed ? "failed" : "ok",
    ...(failed ? { reason: reasonOf(outcome, names, "whole") } : {}),
    ...(events.length === 0 ? {} : { events }),
    console: observer.printed,
    ...(observer instanceof CallsAndConsoleTracer ? { calls: observer.lines } : {}),
    ...(created === undefined ? {} : { created: toData(created) }),
  };
}

function lineParts({ transaction, contract, created, outcome, names }: Mined): LineParts {
  const { isCreation, to, data, value, hash } = transaction;
  const isSuccess = outcome.status === 1;
  const edit = stateEditText(to, data);
  const call = () => edit ?? callText({ to, data, value, contract }, names);
  return {
    isSuccess,
    what: isCreation ? creationText(contract, created) : call(),
    gas: isSuccess && edit === undefined ? outcome.gasUsed : undefined,
    result: isSuccess ? eventsOf(outcome, names, "short").join(" ") : reasonOf(outcome, names, "short"),
    origin: hexText(hash, "short"),
  };
}

/** A call or a transfer, in the form of a line. */
export interface ShownCall {
  to: Uint8Array;
  data: Uint8Array;
  /** Wei. */
  value: bigint;
  /** Name of the contract, if it is known. */
  contract: string | undefined;
}

/** `Counter.add(42)`, `0x5FbD….add{value: 1.5 coins}(42)`, `1.5 coins to 0x7099…`. */
export function callText({ to, data, value, contract }: ShownCall, names: KnownSignatures): string {
  const target = contract ?? addressText(to, "short");
  if (data.length === 0) return `${coins(value)} to ${target}`;
  const call = names.call(data, "short");
  return `${target}.${call.name}${value === 0n ? "" : `{value: ${coins(value)}}`}(${call.arguments})`;
}

/** `address` is undefined if the creation failed. */
export function creationText(contract: string | undefined, address: Uint8Array | undefined): string {
  return `creates ${contract ?? "a contract"}${address === undefined ? "" : ` at ${addressText(address, "short")}`}`;
}

const COIN_DIGITS = 18;

function coins(wei: bigint): string {
  const digits = String(wei).padStart(COIN_DIGITS + 1, "0");
  const fraction = digits.slice(-COIN_DIGITS).replace(/0+$/, "");
  return `${digits.slice(0, -COIN_DIGITS)}${fraction && `.${fraction}`} coins`;
}

function eventsOf({ logs }: ShownOutcome, names: KnownSignatures, form: ValueForm): string[] {
  return logs.flatMap((log) => names.eventText(log, form) ?? []);
}

function reasonOf({ reverted, output, exception }: ShownOutcome, names: KnownSignatures, form: ValueForm): string {
  if (!reverted) return exception?.message ?? "failed";
  const text = names.revertText(output ?? EMPTY_BYTES, form);
  return output === null || output === undefined || output.length === 0 ? `reverted ${text}` : text;
}

/** Formats one line for the transaction, and indented ones for its output, its calls, and its details. */
export function textOf({ mined, line }: ShownTransaction, style: LineStyle): string {
  const { console, calls = [] } = mined;
  const details = style.isVerbose ? detailLines(mined) : [];
  const printed = console.flatMap((text) => text.split("\n")).map((text) => `console.log: ${printable(text)}`);
  return [lineOf(line, style), ...[...printed, ...details, ...calls].map((text) => `  ${text}`)].join("\n");
}

function detailLines({
  hash,
  block,
  from,
  to,
  contract,
  call,
  value,
  reason,
  created,
  events = [],
}: MinedTransaction): string[] {
  const rows: [string, string | undefined][] = [
    ["hash", hash],
    ["block", String(block)],
    ["from", checksummed(from)],
    ["to", to && checksummed(to)],
    ["creates", created && checksummed(created)],
    ["contract", contract],
    ["call", call],
    ["value", value && `${value} wei`],
    ["failed", reason],
    ...events.map((event): [string, string] => ["emits", event]),
  ];
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(NAME_COLUMNS)}${text}`]));
}

const NAME_COLUMNS = 10;

function checksummed(address: string): string {
  return toChecksumAddress(fromHex(address.slice(2)));
}
