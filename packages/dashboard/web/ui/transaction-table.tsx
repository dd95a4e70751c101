import { decodeCall } from "../decode/decode.js";
import { REWARD } from "../decode/native.js";
import { coins, gwei } from "../format/numbers.js";
import type { Transaction } from "../node/types.js";
import { Account } from "./account.js";
import { coinName } from "./coins.js";
import { Badge, Hash, Table } from "./parts.js";

interface Row {
  transaction: Transaction;
  /** Undefined if it is not known, or not mined. */
  status: string | undefined;
}

export function TransactionTable({
  transactions,
  isMined,
  statuses,
}: {
  transactions: readonly Transaction[];
  isMined?: boolean;
  /** Statuses in the order of the transactions; undefined until they are known. */
  statuses?: readonly (string | undefined)[] | undefined;
}) {
  const rows = transactions.map((transaction, index): Row => ({ transaction, status: statuses?.[index] }));
  return (
    <Table
      caption="Transactions"
      empty="No transactions"
      rows={rows}
      keyOf={({ transaction }) => transaction.hash}
      columns={[
        { title: "Hash", cell: ({ transaction }) => <Hash value={transaction.hash} page="transaction" /> },
        ...(isMined ? [{ title: "Status", cell: ({ status }: Row) => <Status status={status} /> }] : []),
        { title: "From", cell: ({ transaction }) => <Account address={transaction.from} /> },
        { title: "To", cell: ({ transaction }) => <Receiver transaction={transaction} /> },
        { title: "Action", cell: ({ transaction }) => action(transaction) },
        { title: `Value (${coinName()})`, isNumber: true, cell: ({ transaction }) => coins(transaction.value) },
        { title: "Gas price (gwei)", isNumber: true, cell: ({ transaction }) => gwei(transaction.gasPrice) },
      ]}
    />
  );
}

export function Status({ status }: { status: string | undefined }) {
  if (status === undefined) return <Badge tone="plain">–</Badge>;
  return Number(status) === 1 ? <Badge tone="good">Success</Badge> : <Badge tone="bad">Failed</Badge>;
}

export function Receiver({ transaction: { to } }: { transaction: Transaction }) {
  return to === null ? <Badge tone="accent">New contract</Badge> : <Account address={to} />;
}

/** Names the function that a transaction calls, as far as it is known. */
export function action({ to, input }: Transaction): string {
  if (to === null) return "creation";
  if (to.toLowerCase() === REWARD) return "block reward";
  if (input.length <= 4) return "transfer";
  return decodeCall(to, input)?.name ?? input.slice(0, 10);
}
