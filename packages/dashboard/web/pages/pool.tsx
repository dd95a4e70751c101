import { useMemo } from "preact/hooks";
import { grouped, gwei } from "../format/numbers.js";
import { call } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { Quantity, Transaction } from "../node/types.js";
import { Pager, usePart } from "../ui/pager.js";
import { Card, Figure, Figures, Loaded, Meter, Missing, Table } from "../ui/parts.js";
import { TransactionTable } from "../ui/transaction-table.js";

const EVERY = 3_000;
const CLASSES = 10;

type BySender = Record<string, Record<string, Transaction[]>>;

interface Pool {
  pending: readonly Transaction[];
  queued: readonly Transaction[];
  gasPrice: Quantity;
}

async function readPool(): Promise<Pool> {
  const [content, gasPrice] = await Promise.all([
    call<{ pending: BySender; queued: BySender }>("txpool_content"),
    call<Quantity>("eth_gasPrice"),
  ]);
  return { pending: listed(content.pending), queued: listed(content.queued), gasPrice };
}

/** The highest gas price first. */
function listed(group: BySender): Transaction[] {
  const all = Object.values(group).flatMap((byNonce) => Object.values(byNonce).flat());
  return all.toSorted((a, b) => {
    const difference = BigInt(b.gasPrice) - BigInt(a.gasPrice);
    return difference > 0n ? 1 : difference < 0n ? -1 : Number(BigInt(a.nonce) - BigInt(b.nonce));
  });
}

export function PoolPage() {
  const query = useQuery("pool", readPool, { every: EVERY, perBlock: true });
  return (
    <Loaded query={query} missing={<Missing what="the content of its pool" flag="--rpc.modules txpool" />}>
      {({ pending, queued, gasPrice }) => (
        <>
          <Figures>
            <Figure name="Pending" value={grouped(pending.length)} detail="ready for the next block" />
            <Figure name="Queued" value={grouped(queued.length)} detail="wait for an earlier nonce" />
            <Figure name="Gas wanted" value={grouped(gasOf(pending))} detail="by pending transactions" />
            <Figure name="Suggested gas price" value={gwei(gasPrice)} detail="gwei" />
          </Figures>
          <Card title="Pending by gas price">
            <Prices transactions={pending} />
          </Card>
          <Listed title="Pending transactions" option="pending" transactions={pending} />
          {queued.length > 0 && <Listed title="Queued transactions" option="queued" transactions={queued} />}
        </>
      )}
    </Loaded>
  );
}

function gasOf(transactions: readonly Transaction[]): bigint {
  return transactions.reduce((sum, { gas }) => sum + BigInt(gas), 0n);
}

interface ListedProps {
  title: string;
  option: string;
  transactions: readonly Transaction[];
}

function Listed({ title, option, transactions }: ListedProps) {
  const count = transactions.length;
  const part = usePart(count, option);
  return (
    <Card title={title} note={grouped(count)}>
      <Pager part={part} count={count} option={option} what={title.toLowerCase()} />
      <TransactionTable transactions={transactions.slice(part.start, part.end)} />
    </Card>
  );
}

interface PriceClass {
  from: bigint;
  to: bigint;
  count: number;
  gas: bigint;
}

function Prices({ transactions }: { transactions: readonly Transaction[] }) {
  const classes = useMemo(() => classesOf(transactions), [transactions]);
  const most = Math.max(...classes.map(({ count }) => count), 1);
  return (
    <Table
      caption="Pending transactions by gas price"
      empty="No transaction is pending"
      rows={classes}
      keyOf={({ from }) => String(from)}
      columns={[
        {
          title: "Gas price (gwei)",
          cell: ({ from, to }) => (from === to ? gwei(from) : `${gwei(from)} – ${gwei(to)}`),
        },
        { title: "Transactions", isNumber: true, cell: ({ count }) => grouped(count) },
        { title: "Gas", isNumber: true, cell: ({ gas }) => grouped(gas) },
        {
          title: "Share",
          cell: ({ count }) => <Meter value={count / most} label={`${count} of ${transactions.length}`} />,
        },
      ]}
    />
  );
}

/** Groups of similar prices, the highest first; a group for each price if there are few. */
function classesOf(transactions: readonly Transaction[]): PriceClass[] {
  const prices = [...new Set(transactions.map(({ gasPrice }) => BigInt(gasPrice)))].toSorted((a, b) =>
    a < b ? 1 : -1,
  );
  const size = Math.ceil(prices.length / CLASSES);
  const groups = Array.from({ length: Math.min(prices.length, Math.ceil(prices.length / (size || 1))) }, (_, i) =>
    prices.slice(i * size, (i + 1) * size),
  );
  return groups.map((group) => {
    const [to, from] = [group[0]!, group.at(-1)!];
    const own = transactions.filter(({ gasPrice }) => BigInt(gasPrice) >= from && BigInt(gasPrice) <= to);
    return { from, to, count: own.length, gas: gasOf(own) };
  });
}
