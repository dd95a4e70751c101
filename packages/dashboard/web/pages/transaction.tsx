import { decodeCall, decodeLog, decodeRevert } from "../decode/decode.js";
import { coins, grouped, gwei } from "../format/numbers.js";
import { call, callAlone } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { CallFrame, Log, Receipt, Transaction } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import { DecodedText } from "../ui/decoded.js";
import { Badge, BlockLink, Card, Copy, Fact, Facts, Hash, Loaded, Missing, Table } from "../ui/parts.js";
import { Receiver, Status } from "../ui/transaction-table.js";

export function TransactionPage({ subject }: { subject: string }) {
  const query = useQuery(
    `transaction ${subject}`,
    async () => {
      const [transaction, receipt] = await Promise.all([
        call<Transaction | null>("eth_getTransactionByHash", subject),
        call<Receipt | null>("eth_getTransactionReceipt", subject),
      ]);
      return { transaction, receipt };
    },
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {({ transaction, receipt }) =>
        transaction === null ? (
          <p class="notice">This node does not know the transaction {subject}.</p>
        ) : (
          <Found transaction={transaction} receipt={receipt} />
        )
      }
    </Loaded>
  );
}

function Found({ transaction, receipt }: { transaction: Transaction; receipt: Receipt | null }) {
  const { height } = useStore(live);
  const { hash, to, input } = transaction;
  const decoded = decodeCall(to, input);
  const number = transaction.blockNumber === null ? undefined : Number(transaction.blockNumber);
  return (
    <>
      <Card title="Transaction">
        <Facts>
          <Fact name="Hash">
            <Hash value={hash} whole /> <Copy text={hash} what="hash" />
          </Fact>
          <Fact name="Status">
            {receipt === null ? <Badge tone="accent">Pending</Badge> : <Status status={receipt.status} />}
          </Fact>
          {number !== undefined && receipt !== null && (
            <Fact name="Block">
              <BlockLink number={number} />{" "}
              {height !== undefined && (
                <span class="note">{grouped(Math.max(height - number + 1, 1))} confirmations</span>
              )}
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
          <Fact name="Value">
            <Coins wei={transaction.value} />
          </Fact>
          <Fact name="Gas">
            {receipt === null ? "" : `${grouped(BigInt(receipt.gasUsed))} of `}
            {grouped(BigInt(transaction.gas))} at {gwei(transaction.gasPrice)} gwei
          </Fact>
          <Fact name="Nonce">{grouped(BigInt(transaction.nonce))}</Fact>
        </Facts>
      </Card>
      <Card title="Input" note={`${grouped((input.length - 2) / 2)} bytes`}>
        <div class="stack">
          {decoded !== undefined && <DecodedText decoded={decoded} />}
          {input === "0x" ? <p class="empty">No data</p> : <LongHex value={input} />}
        </div>
      </Card>
      {receipt !== null && <Logs logs={receipt.logs} />}
      {receipt !== null && <Calls hash={hash} />}
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
  return (
    <Card title={title ?? "Logs"} note={grouped(logs.length)}>
      {logs.length === 0 && <p class="empty">No logs</p>}
      <ol class="logs">
        {logs.map((log) => (
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
        <DecodedText decoded={decoded} />
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

interface Row {
  frame: CallFrame;
  depth: number;
}

function Calls({ hash }: { hash: string }) {
  const query = useQuery(`calls ${hash}`, () =>
    callAlone<CallFrame>("debug_traceTransaction", hash, { tracer: "callTracer" }),
  );
  return (
    <Card title="Calls">
      <Loaded query={query} missing={<Missing what="traces" flag="--rpc.modules debug" />}>
        {(frame) => <CallTable root={frame} />}
      </Loaded>
    </Card>
  );
}

/** Rows shown of a trace. */
const MAX_FRAMES = 500;

function CallTable({ root }: { root: CallFrame }) {
  const rows = flattened(root, 0, []);
  return (
    <>
      {root.error !== undefined && <p class="notice bad">{failure(root)}</p>}
      <Table
        caption="Calls"
        empty="No calls"
        rows={rows}
        keyOf={(_, index) => String(index)}
        columns={[
          {
            title: "Type",
            cell: ({ frame, depth }) => (
              <span class="depth" style={{ paddingLeft: `${Math.min(depth, 12)}rem` }}>
                <Badge tone={frame.error === undefined ? "plain" : "bad"}>{frame.type}</Badge>
              </span>
            ),
          },
          { title: "To", cell: ({ frame }) => (frame.to === undefined ? "–" : <Account address={frame.to} />) },
          { title: "Method", cell: ({ frame }) => methodOf(frame) },
          { title: "Value", isNumber: true, cell: ({ frame }) => coins(frame.value ?? 0n) },
          { title: "Gas used", isNumber: true, cell: ({ frame }) => grouped(BigInt(frame.gasUsed ?? 0)) },
          { title: "Result", cell: ({ frame }) => (frame.error === undefined ? "ok" : failure(frame)) },
        ]}
      />
      {rows.length === MAX_FRAMES && <p class="note">Only the first {MAX_FRAMES} calls are shown.</p>}
    </>
  );
}

function flattened(frame: CallFrame, depth: number, rows: Row[]): Row[] {
  if (rows.length < MAX_FRAMES) rows.push({ frame, depth });
  for (const inner of frame.calls ?? []) if (rows.length < MAX_FRAMES) flattened(inner, depth + 1, rows);
  return rows;
}

function methodOf({ type, to, input }: CallFrame): string {
  if (type.startsWith("CREATE")) return "creation";
  if (input === undefined || input.length < 10) return "–";
  return decodeCall(to, input)?.name ?? input.slice(0, 10);
}

function failure({ error = "", revertReason, output }: CallFrame): string {
  const reason = revertReason ?? decodeRevert(output);
  return reason === undefined ? error : `${error}: ${reason}`;
}
