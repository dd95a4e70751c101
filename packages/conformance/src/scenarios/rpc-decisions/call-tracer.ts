import { allOf, type Decision, type DecisionContext, type Json } from "./decision.js";
import { failureReason } from "./failure-texts.js";

// Decisions of spec/09 §12.1 about callTracer. Each rule is about one call.

/** A self-destruct has its own type and all members; the reference has only the account. */
const selfDestructsAreWhole: Decision = (recorded, own) => {
  return recorded.type === "NONE" ? { ...own, type: "SELFDESTRUCT", from: recorded.from } : recorded;
};

/** CREATE2 has its own type. */
const callTypesAreDistinct: Decision = (recorded, own) => {
  return recorded.type === "CREATE" && own.type === "CREATE2" ? { ...recorded, type: "CREATE2" } : recorded;
};

/** A creation names the created address as its receiver; its output is the deployed code. */
const creationsNameTheirAddress: Decision = (recorded, own) => {
  if (!recorded.type.startsWith("CREATE")) return recorded;
  const failed = recorded.output === undefined || recorded.error !== undefined;
  return { ...recorded, to: failed ? own.to : recorded.output, output: own.output };
};

/** Output is bytes: the reference prints a number, and omits it at the top and for reverted calls. */
const outputIsData: Decision = (recorded, own) => {
  if (recorded.type.startsWith("CREATE") || recorded.type === "SELFDESTRUCT") return recorded;
  const isMissing = BigInt(recorded.output ?? 0) === 0n;
  return isMissing || isSameNumber(recorded.output, own.output) ? { ...recorded, output: own.output } : recorded;
};

function isSameNumber(quantity: string | undefined, data: string): boolean {
  return BigInt(quantity ?? 0) === (data === "0x" ? 0n : BigInt(data));
}

/** A plain transfer has the gas that remains after the transaction's intrinsic cost. */
const transfersHaveGas: Decision = (recorded, own) => {
  return recorded.gas === "0x0" ? { ...recorded, gas: own.gas } : recorded;
};

/** Errors have the wording of `spec/09 §8.2`. */
const errorsAreReasons: Decision = (recorded) => {
  return recorded.error === undefined ? recorded : { ...recorded, error: failureReason(recorded.error) };
};

/** The top call also has the reason of its revert. */
const topCallHasRevertReason: Decision = (recorded, own) => {
  if (recorded.error !== "execution reverted" || own.revertReason === undefined) return recorded;
  return { ...recorded, revertReason: own.revertReason };
};

/** A nested call to an account without code has its own input, which the reference omits. */
const nestedInputIsOwn: Decision = (recorded, own) => {
  return recorded.input === "0x" ? { ...recorded, input: own.input } : recorded;
};

/** Empty data is `0x` everywhere (`spec/09 §4.1`). */
const emptyDataIsPlain: Decision = (recorded) => {
  if (recorded.logs === undefined) return recorded;
  return { ...recorded, logs: recorded.logs.map((log: Json) => (log.data === "0x00" ? { ...log, data: "0x" } : log)) };
};

/** Failed creations are included; the reference omits them. */
const failedCreationsAreIncluded: Decision = (recorded, own) => {
  if (own.calls === undefined) return recorded;
  const calls: Json[] = [];
  const left: Json[] = [...(recorded.calls ?? [])];
  for (const call of own.calls) {
    const isMissing = call.type.startsWith("CREATE") && call.error !== undefined && !isSameCreation(left[0], call);
    calls.push(isMissing ? call : left.shift());
  }
  return { ...recorded, calls: [...calls, ...left].filter((call) => call !== undefined) };
};

function isSameCreation(recorded: Json, own: Json): boolean {
  return recorded?.type === "CREATE" && recorded.from === own.from && recorded.input === own.input;
}

const oneCall = allOf(
  selfDestructsAreWhole,
  callTypesAreDistinct,
  creationsNameTheirAddress,
  errorsAreReasons,
  outputIsData,
  transfersHaveGas,
  topCallHasRevertReason,
  nestedInputIsOwn,
  emptyDataIsPlain,
  failedCreationsAreIncluded,
);

/** A call and all calls below it. */
export const callTraces: Decision = (recorded, own, context) => {
  if (recorded === null || own === null || own === undefined) return recorded;
  const call = oneCall(recorded, own, context);
  return call.calls === undefined ? call : { ...call, calls: below(call.calls, own.calls, context) };
};

function below(calls: Json[], own: Json[] | undefined, context: DecisionContext): Json[] {
  return calls.map((call, i) => (call === own?.[i] ? call : callTraces(call, own?.[i], context)));
}
