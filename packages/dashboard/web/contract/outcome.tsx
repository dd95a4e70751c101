import type { AbiFunction } from "viem";
import { decodeError, decodeLog, decodeOutput } from "../decode/decode.js";
import { grouped } from "../format/numbers.js";
import { call, callAlone, RpcFailure } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { CallFrame, Hex, Receipt } from "../node/types.js";
import { DecodedText, DecodedValues } from "../ui/decoded.js";
import { Failed, Hash, Loaded } from "../ui/parts.js";
import { Status } from "../ui/transaction-table.js";

/** The decoded return values of a call. */
export function Returned({ method, output }: { method: AbiFunction; output: Hex }) {
  const decoded = decodeOutput(method, output);
  if (decoded === undefined) return <pre>{output}</pre>;
  if (decoded.values.length === 0) return <span class="note">returns nothing</span>;
  return <DecodedValues decoded={decoded} />;
}

/** Why a call or transaction failed, with its custom error in words. */
export function Failure({ error, to }: { error: Error; to: Hex }) {
  const data = error instanceof RpcFailure && typeof error.data === "string" ? (error.data as Hex) : undefined;
  const decoded = data === undefined || data.length < 10 ? undefined : decodeError(data, to);
  if (decoded === undefined) return <Failed error={error} />;
  return (
    <div class="notice bad" role="alert">
      <span class="note">Reverted</span>
      <DecodedText decoded={decoded} />
    </div>
  );
}

/** A transaction from when it was sent: its result, gas, return value and events. */
export function Sent({ hash, method, to }: { hash: Hex; method: AbiFunction; to: Hex }) {
  const query = useQuery(`sent ${hash}`, () => readOutcome(hash), { perBlock: true });
  return (
    <Loaded query={query}>
      {({ receipt, top }) =>
        receipt === null ? (
          <p class="notice">
            Transaction <Hash value={hash} page="transaction" /> waits for a block.
          </p>
        ) : (
          <div class="stack outcome">
            <div class="row">
              <Status status={receipt.status} />
              <span>{grouped(BigInt(receipt.gasUsed))} gas</span>
              <Hash value={hash} page="transaction" />
            </div>
            {Number(receipt.status) === 1 && top?.output && method.outputs.length > 0 && (
              <div>
                <h4>Returned</h4>
                <Returned method={method} output={top.output} />
              </div>
            )}
            {Number(receipt.status) === 0 && (
              <Failure error={new RpcFailure(top?.error ?? "The transaction failed", 0, top?.output)} to={to} />
            )}
            {receipt.logs.length > 0 && (
              <div>
                <h4>Events</h4>
                <ol class="logs">
                  {receipt.logs.map((log) => {
                    const decoded = decodeLog(log);
                    return (
                      <li key={log.logIndex}>
                        {decoded === undefined ? (
                          <Hash value={log.topics[0] ?? log.data} />
                        ) : (
                          <DecodedText decoded={decoded} />
                        )}
                      </li>
                    );
                  })}
                </ol>
              </div>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

async function readOutcome(hash: Hex): Promise<{ receipt: Receipt | null; top: CallFrame | undefined }> {
  const receipt = await call<Receipt | null>("eth_getTransactionReceipt", hash);
  const options = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
  const trace = () => callAlone<CallFrame>("debug_traceTransaction", hash, options).catch(() => undefined);
  return { receipt, top: receipt === null ? undefined : await trace() };
}
