import { CallsCard, useCreation } from "../debugger/calls-card.js";
import { StepsCard } from "../debugger/steps-card.js";
import { StorageCard } from "../debugger/storage-card.js";
import { decodeCall, decodeLog } from "../decode/decode.js";
import { grouped, gwei, percent } from "../format/numbers.js";
import { age, utc } from "../format/time.js";
import { call, callAlone } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Block, CallFrame, Log, Receipt, Transaction } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import { DecodedText } from "../ui/decoded.js";
import { Pager, usePart } from "../ui/pager.js";
import { Badge, BlockLink, Card, Copy, Fact, Facts, Hash, Loaded } from "../ui/parts.js";
import { action, Receiver, Status } from "../ui/transaction-table.js";
import { Why } from "../ui/why.js";

export function TransactionPage({ subject }: { subject: string }) {
  if (!/^0x[0-9a-f]{64}$/i.test(subject)) {
    return <p class="notice">“{subject}” is no transaction: a hash has 64 hex digits after 0x.</p>;
  }
  return <Known hash={subject} />;
}

function Known({ hash }: { hash: string }) {
  const query = useQuery(
    `transaction ${hash}`,
    async () => {
      const [transaction, receipt] = await Promise.all([
        call<Transaction | null>("eth_getTransactionByHash", hash),
        call<Receipt | null>("eth_getTransactionReceipt", hash),
      ]);
      const number = transaction?.blockNumber ?? null;
      const header = number === null ? null : await call<Header | null>("eth_getHeaderByNumber", number);
      return { transaction, receipt, time: header === null ? undefined : Number(header.timestamp) };
    },
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {({ transaction, receipt, time }) =>
        transaction === null ? (
          <p class="notice">This node does not know the transaction {hash}.</p>
        ) : (
          <Found transaction={transaction} receipt={receipt} time={time} />
        )
      }
    </Loaded>
  );
}

type Header = Pick<Block, "timestamp">;

interface FoundProps {
  transaction: Transaction;
  /** Null if it is not mined. */
  receipt: Receipt | null;
  /** Timestamp of its block, in seconds. */
  time: number | undefined;
}

function Found({ transaction, receipt, time }: FoundProps) {
  const { height } = useStore(live);
  const { hash, to, input } = transaction;
  const isFailed = receipt !== null && Number(receipt.status) === 0;
  const created = isFailed ? undefined : receipt?.contractAddress;
  const creation = useCreation(to === null ? (created ?? input) : undefined, input);
  const decoded = creation ?? decodeCall(to, input);
  const number = transaction.blockNumber === null ? undefined : Number(transaction.blockNumber);
  const trace = useQuery(`calls ${hash} ${transaction.blockHash}`, () =>
    receipt === null
      ? Promise.resolve(undefined)
      : callAlone<CallFrame>("debug_traceTransaction", hash, { tracer: "callTracer" }),
  );
  return (
    <>
      <Card title="Transaction">
        <Facts>
          <Fact name="Hash">
            <Hash value={hash} whole /> <Copy text={hash} what="hash" />
          </Fact>
          <Fact name="Status">
            {receipt === null ? <Badge tone="accent">Pending</Badge> : <Status status={receipt.status} />}
            {isFailed && <Why transaction={transaction} trace={trace} />}
          </Fact>
          {number !== undefined && receipt !== null && (
            <Fact name="Block">
              <BlockLink number={number} />{" "}
              {height !== undefined && (
                <span class="note">{grouped(Math.max(height - number + 1, 1))} confirmations</span>
              )}
            </Fact>
          )}
          {time !== undefined && number !== 0 && (
            <Fact name="Time">
              {utc(time)} <span class="note">{age(time)}</span>
            </Fact>
          )}
          <Fact name="From">
            <Account address={transaction.from} whole />
          </Fact>
          <Fact name="To">{to === null ? <Receiver transaction={transaction} /> : <Account address={to} whole />}</Fact>
          {receipt?.contractAddress && (
            <Fact name="Created contract">
              <Account address={receipt.contractAddress} whole />
            </Fact>
          )}
          <Fact name="Method">{action(transaction)}</Fact>
          <Fact name="Value">
            <Coins wei={transaction.value} />
          </Fact>
          <Fact name={receipt === null ? "Gas limit" : "Gas used"}>
            <Gas transaction={transaction} receipt={receipt} />
          </Fact>
          {receipt !== null && (
            <Fact name="Fee">
              <Coins wei={BigInt(receipt.gasUsed) * BigInt(transaction.gasPrice)} />
            </Fact>
          )}
          <Fact name="Nonce">{grouped(BigInt(transaction.nonce))}</Fact>
        </Facts>
      </Card>
      <Card title="Input" note={`${grouped((input.length - 2) / 2)} bytes`}>
        <div class="stack">
          {decoded !== undefined && <DecodedText decoded={decoded} place={{ contract: to ?? "", block: number }} />}
          {input === "0x" ? <p class="empty">No data</p> : <LongHex value={input} />}
        </div>
      </Card>
      {receipt !== null && <Logs logs={receipt.logs} />}
      {receipt !== null && <CallsCard hash={hash} trace={trace} />}
      {receipt !== null && trace.data !== undefined && <StorageCard hash={hash} root={trace.data} />}
      {receipt !== null && trace.data !== undefined && <StepsCard hash={hash} />}
    </>
  );
}

function Gas({ transaction: { gas, gasPrice }, receipt }: Pick<FoundProps, "transaction" | "receipt">) {
  const price = `at ${gwei(gasPrice)} gwei`;
  if (receipt === null) return <>{`${grouped(BigInt(gas))} ${price}`}</>;
  const [used, limit] = [Number(receipt.gasUsed), Number(gas)];
  return (
    <>
      {grouped(used)} of {grouped(limit)} <span class="note">({percent(used, limit)})</span> {price}
    </>
  );
}

/** Hex of any length; most of a long one is folded. */
export function LongHex({ value }: { value: string }) {
  if (value.length <= 1_000) return <pre>{value}</pre>;
  return (
    <details>
      <summary>{grouped((value.length - 2) / 2)} bytes</summary>
      <pre>{value}</pre>
    </details>
  );
}

export function Logs({ logs, title }: { logs: readonly Log[]; title?: string }) {
  const part = usePart(logs.length, "logs");
  return (
    <Card title={title ?? "Logs"} note={grouped(logs.length)}>
      {logs.length === 0 && <p class="empty">No logs</p>}
      <Pager part={part} count={logs.length} option="logs" what="logs" />
      <ol class="logs">
        {logs.slice(part.start, part.end).map((log) => (
          <li key={`${log.transactionHash} ${log.logIndex}`}>
            <OneLog log={log} isAlone={title !== undefined} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** `isAlone`: outside of the page of its transaction. */
function OneLog({ log, isAlone }: { log: Log; isAlone: boolean }) {
  const decoded = decodeLog(log);
  return (
    <>
      <div class="row">
        <span class="note">#{Number(log.logIndex)}</span>
        {isAlone ? (
          <span>
            block <BlockLink number={Number(log.blockNumber)} />, transaction{" "}
            <Hash value={log.transactionHash} page="transaction" />
          </span>
        ) : (
          <Account address={log.address} />
        )}
      </div>
      {decoded !== undefined ? (
        <DecodedText decoded={decoded} place={{ contract: log.address, block: Number(log.blockNumber) }} />
      ) : (
        <>
          <ul class="topics" aria-label="Topics">
            {log.topics.map((topic, index) => (
              <li key={index}>
                <Hash value={topic} whole />
              </li>
            ))}
          </ul>
          {log.data !== "0x" && <LongHex value={log.data} />}
        </>
      )}
    </>
  );
}
