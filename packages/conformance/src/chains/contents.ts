import type { Chain, LogLocation } from "@cambium/chain";
import { type ExceptionKind, type LocalCallOutcome, TransactionRejected } from "@cambium/evm";
import { EMPTY_KECCAK, fromHex, keccak256, leftPad, toData } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { Comparison, failed } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import type { ChainCompanion, ExpectedCall, ExpectedLog } from "./companion.js";

/** Accounts after the best block. */
export function* accountCases(chain: Chain, { accounts }: ChainCompanion): Generator<CaseResult> {
  const state = chain.stateAfter(chain.best().hash)!;
  for (const expected of accounts ?? []) {
    const address = fromHex(expected.address);
    const code = state.getCode(address);
    yield new Comparison(`account ${expected.name} ${expected.address}`)
      .equal("existence", state.exists(address), expected.exists)
      .equal("balance", state.getBalance(address), expected.balance)
      .equal("nonce", state.getNonce(address), expected.nonce)
      .equal("contract marker", state.isContract(address), expected.isContract)
      .equal("code length", code.length, expected.codeLength)
      .equal(
        "code hash",
        state.exists(address) ? toData(code.length === 0 ? EMPTY_KECCAK : keccak256(code)) : null,
        expected.codeHashStandard,
      )
      .result();
  }
}

/** Storage of contracts after the best block. */
export function* contractCases(chain: Chain, { contracts }: ChainCompanion): Generator<CaseResult> {
  const state = chain.stateAfter(chain.best().hash)!;
  for (const expected of contracts ?? []) {
    const address = fromHex(expected.address);
    const comparison = new Comparison(`contract ${expected.label} ${expected.address}`);
    comparison.equal("number of cells", [...state.storageEntries(address)].length, expected.storageKeysInTrie);
    for (const { slot, value } of expected.storage) {
      const cell = state.getStorageBytes(address, leftPad(fromHex(slot), 32));
      comparison.equal(`cell ${slot}`, cell === undefined ? "0x" : toData(cell), value);
    }
    yield comparison.result();
  }
}

/** Exceptions of the reference client that occur in the vectors. */
const EXCEPTIONS: Readonly<Record<string, ExceptionKind>> = {
  OutOfGasException: "out-of-gas",
  IllegalOperationException: "invalid-opcode",
  BadJumpDestinationException: "bad-jump",
  StackTooSmallException: "stack-underflow",
  StackTooLargeException: "stack-overflow",
  InvalidGasException: "invalid-gas",
  StaticCallModificationException: "static-violation",
  VMException: "contract-error",
};

/** Yields the cases of read-only executions. */
export function* callCases(chain: Chain, { calls }: ChainCompanion): Generator<CaseResult> {
  for (const [index, expected] of (calls ?? []).entries()) {
    const name = `call ${index + 1} to ${expected.to} ${expected.data.slice(0, 10)}`;
    try {
      yield compareCall(new Comparison(name), execute(chain, expected), expected);
    } catch (error) {
      if (error instanceof TransactionRejected) {
        yield new Comparison(name).equal("refusal", true, expected.thrown !== undefined).result();
      } else yield failed(name, String(error));
    }
  }
}

function execute(chain: Chain, call: ExpectedCall): LocalCallOutcome {
  return chain.call(
    {
      from: fromHex(call.from),
      to: fromHex(call.to),
      data: fromHex(call.data),
      value: BigInt(call.value),
      gasPrice: BigInt(call.gasPrice),
      gasLimit: BigInt(call.gas),
    },
    fromHex(call.blockHash),
  );
}

function compareCall(comparison: Comparison, outcome: LocalCallOutcome, expected: ExpectedCall): CaseResult {
  // The reference's call threw an exception, which clients see as an error: this node must reject the call or let it
  // fail.
  if (expected.thrown !== undefined) return comparison.equal("failure", outcome.exception !== undefined, true).result();
  comparison
    .equal("output", toData(outcome.output ?? new Uint8Array(0)), expected.output ?? "0x")
    .equal("gas used", outcome.gasUsed, expected.gasUsed)
    .equal("reverted", outcome.reverted, expected.reverted)
    .equal("failed", outcome.exception !== undefined || outcome.reverted, expected.failed || expected.reverted);
  const exception =
    expected.exception === undefined ? undefined : (EXCEPTIONS[expected.exception] ?? expected.exception);
  return comparison.equal("exception", outcome.exception?.kind, exception).result();
}

/** All logs of the best chain, and queries by address and by topic. */
export function* logCases(chain: Chain, { logs }: ChainCompanion): Generator<CaseResult> {
  if (logs === undefined) return;
  const everything = { fromBlock: 0, toBlock: Number.MAX_SAFE_INTEGER };
  yield compareLogs("logs", chain.logs(everything), logs);
  for (const address of new Set(logs.map((log) => log.address))) {
    const found = chain.logs({ ...everything, addresses: [fromHex(address)] });
    yield compareLogs(
      `logs of ${address}`,
      found,
      logs.filter((log) => log.address === address),
    );
  }
  for (const topic of new Set(logs.flatMap((log) => log.topics.slice(0, 1)))) {
    const found = chain.logs({ ...everything, topics: [[fromHex(topic)]] });
    yield compareLogs(
      `logs with topic ${topic}`,
      found,
      logs.filter((log) => log.topics[0] === topic),
    );
  }
}

function compareLogs(name: string, actual: Iterable<LogLocation>, expected: readonly ExpectedLog[]): CaseResult {
  const found = [...actual];
  const comparison = new Comparison(name).equal("count", found.length, expected.length);
  for (const [index, log] of expected.entries()) {
    comparison.equal(`log ${index}`, found[index] && locationText(found[index]), expectedText(log));
  }
  return comparison.result();
}

function locationText({ log, ...at }: LogLocation): string {
  const bytes = [log.address, ...log.topics, log.data, at.blockHash, at.transactionHash].map(toData);
  return [...bytes, at.blockNumber, at.transactionIndex, at.logIndex].join(" ");
}

function expectedText(log: ExpectedLog): string {
  const bytes = [log.address, ...log.topics, log.data, log.blockHash, log.transactionHash];
  return [...bytes, log.blockNumber, log.transactionIndex, log.logIndex].join(" ");
}

/** Balances after every block. */
export function* balanceCases(chain: Chain, { balanceHistory }: ChainCompanion): Generator<CaseResult> {
  for (const { number, ...balances } of balanceHistory ?? []) {
    const comparison = new Comparison(`balances after block ${number}`);
    const hash = chain.hashByNumber(number);
    const state = hash && chain.stateAfter(hash);
    for (const [address, balance] of Object.entries(balances)) {
      comparison.equal(address, state?.getBalance(fromHex(address)), balance);
    }
    yield comparison.result();
  }
}

/** Transactions that the reference did not include: they must decode and be in no block of the chain. */
export function* excludedCases(chain: Chain, { excludedTransactions }: ChainCompanion): Generator<CaseResult> {
  for (const [index, { hash, raw, reason }] of (excludedTransactions ?? []).entries()) {
    yield new Comparison(`excluded transaction ${index + 1}: ${reason}`)
      .equal("hash", toData(Transaction.decode(fromHex(raw)).hash), hash)
      .equal("block", chain.findTransaction(fromHex(hash))?.header.number, undefined)
      .result();
  }
}
