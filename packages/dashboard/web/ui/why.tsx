import { type Failure, failureOf } from "../decode/failure.js";
import { call, isMissing, RpcFailure } from "../node/client.js";
import { type Query, useQuery } from "../node/query.js";
import type { CallFrame, Hex, Transaction } from "../node/types.js";

/** Undefined for a transaction that is not mined. */
export type Trace = Query<CallFrame | undefined>;

/** Explains why a transaction failed: by its trace, or by a repeated call if the node does not trace. */
export function Why({ transaction, trace }: { transaction: Transaction; trace: Trace }) {
  if (trace.data !== undefined) return <Reason failure={failureOf(trace.data.error ?? "", trace.data.output)} />;
  if (trace.error !== undefined && isMissing(trace.error)) return <Repeated transaction={transaction} />;
  return null;
}

function Reason({ failure: { words, selector, data } }: { failure: Failure }) {
  return (
    <>
      {" "}
      <span class="reason">{words}</span>
      {selector !== undefined && (
        <>
          {" "}
          <code>{selector}</code>
        </>
      )}
      {data !== undefined && <pre>{data.length > MAX_DATA ? `${data.slice(0, MAX_DATA)}…` : data}</pre>}
    </>
  );
}

/** Hex digits of an error that are shown; the call's output has all. */
const MAX_DATA = 2_000;

/** The call uses the state of the block before: other transactions of the same block may have changed it. */
function Repeated({ transaction }: { transaction: Transaction }) {
  const { data } = useQuery(`repeated ${transaction.hash}`, () => repeat(transaction));
  if (data === undefined) return null;
  return (
    <>
      <Reason failure={data} /> <span class="note">when it is repeated after the block before</span>
    </>
  );
}

/** Undefined if the call succeeds there. */
async function repeat({
  from,
  to,
  input,
  value,
  gas,
  gasPrice,
  blockNumber,
}: Transaction): Promise<Failure | undefined> {
  const parent = `0x${Math.max(Number(blockNumber) - 1, 0).toString(16)}`;
  try {
    await call<Hex>("eth_call", { from, ...(to !== null && { to }), data: input, value, gas, gasPrice }, parent);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return failureOf(error.message, typeof error.data === "string" ? (error.data as Hex) : undefined);
  }
}
