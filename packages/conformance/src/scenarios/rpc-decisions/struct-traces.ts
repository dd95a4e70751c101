import { fromHex, toData } from "@cambium/primitives";
import { callTraces } from "./call-tracer.js";
import { allOf, type Decision, type DecisionContext, each, type Json, requestedBlock } from "./decision.js";
import { failureReason } from "./failure-texts.js";

// Decisions of spec/09 §12.1 about the default tracer and about the block variants.

/** The trace of a transaction that runs no code has the usual members, without steps. */
const transfersHaveNoSteps: Decision = (recorded, own) => {
  if (recorded.programInvoke === undefined) return recorded;
  return {
    // The reference has no address for a creation.
    contractAddress: receiverOf(recorded) ?? own.contractAddress,
    initStorage: {},
    structLogs: [],
    result: recorded.result ?? own.result,
    error: recorded.error ?? "",
    reverted: recorded.reverted,
    storageSize: 0,
    currentStorage: {},
  };
};

function receiverOf({ transferInvoke }: Json): string | undefined {
  const address = transferInvoke.ownerAddress.slice(24);
  return /^0+$/.test(address) ? undefined : address;
}

/** A step shows the cells as they were at that moment; the reference loses those that are deleted later. */
const storageIsOfItsMoment: Decision = (recorded, own) => {
  const structLogs = recorded.structLogs.map((step: Json, i: number) => {
    const before = own.structLogs[i]?.storage;
    if (step.storage === undefined || before === undefined || !isPart(step.storage, before)) return step;
    const missing = Object.keys(before).filter((slot) => step.storage[slot] === undefined);
    const laterSteps: Json[] = missing.length === 0 ? [] : own.structLogs.slice(i + 1);
    const isDeletedLater = (slot: string) => laterSteps.some(({ storage }) => storage?.[slot] === undefined);
    return missing.every(isDeletedLater) ? { ...step, storage: before } : step;
  });
  return { ...recorded, structLogs };
};

function isPart(some: Json, all: Json): boolean {
  return Object.entries(some).every(([slot, value]) => all[slot] === value);
}

/** Steps of constructors are included; the reference omits them. */
const constructorsHaveSteps: Decision = (recorded, own) => {
  const left: Json[] = [...recorded.structLogs];
  const steps = (own.structLogs as Json[]).map((step, i) => (isInConstructor(own.structLogs, i) ? step : left.shift()));
  return { ...recorded, structLogs: [...steps, ...left].filter((step) => step !== undefined) };
};

/**
 * Whether a step, or a call that contains it, is part of a constructor: the last step before it at a lower depth is a
 * CREATE.
 */
function isInConstructor(steps: readonly Json[], index: number): boolean {
  for (let i = index; steps[i].depth > 0; ) {
    const { depth } = steps[i];
    while (steps[i].depth >= depth) i--;
    if (steps[i].op?.startsWith("CREATE")) return true;
  }
  return false;
}

/** The trace has the outcome of the transaction. */
const outcomeIsIncluded: Decision = (recorded, own, context) => {
  const { gas, failed } = outcomeOf(own, context);
  return { ...recorded, gas, failed, returnValue: `0x${recorded.result}` };
};

function outcomeOf(own: Json, { entry, chain }: DecisionContext): { gas: number; failed: boolean } {
  const found = chain.findTransaction(fromHex(String(entry.params[0]).replace("0x", "").padStart(64, "0")));
  const receipt = found && chain.receipts(found.header.hash)?.[found.index];
  return receipt === undefined ? own : { gas: receipt.gasUsed, failed: receipt.status === 0 };
}

const errorIsReason: Decision = (recorded) => ({ ...recorded, error: failureReason(recorded.error) });

const oneStructTrace = allOf(
  transfersHaveNoSteps,
  constructorsHaveSteps,
  storageIsOfItsMoment,
  outcomeIsIncluded,
  errorIsReason,
);

/** A trace of the tracer that the request names. */
const oneTrace: Decision = (recorded, own, context) => {
  if (recorded === null || !own) return recorded;
  const tracer = context.entry.params[1]?.tracer === "callTracer" ? callTraces : oneStructTrace;
  return tracer(recorded, own, context);
};

export const transactionTrace: Decision = oneTrace;

/** Every trace of a block comes with the hash of its transaction, with any tracer. */
const tracesNameTheirTransactions: Decision = (recorded, _own, context) => {
  const transactions = requestedBlock(context)?.transactions ?? [];
  return recorded.map((trace: Json, i: number) => {
    return trace.txHash === undefined ? { txHash: toData(transactions[i]!.hash), result: trace } : trace;
  });
};

export const blockTraces: Decision = (recorded, own, context) => {
  if (!Array.isArray(recorded)) return recorded;
  const named = tracesNameTheirTransactions(recorded, own, context);
  return each((item, ownItem) => ({ ...item, result: oneTrace(item.result, ownItem?.result, context) }))(
    named,
    own,
    context,
  );
};
