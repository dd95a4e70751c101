import { useArtifact } from "../artifacts/artifacts.js";
import { failureOf } from "../decode/failure.js";
import { grouped } from "../format/numbers.js";
import { callAlone } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { CallFrame, Hex } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Badge, BlockLink, Card, Hash, Loaded, Table } from "../ui/parts.js";
import { action, Receiver, Status } from "../ui/transaction-table.js";
import { AccountsCard } from "./accounts-card.js";
import { ChainCard } from "./chain-card.js";
import { MAX_BLOCKS, type RecentTransaction, readContracts, readRecent } from "./recent.js";

/** The overview of a development chain: accounts, contracts, transactions, and the clock. */
export function DevelopmentOverview() {
  const { height, clientVersion, chainId } = useStore(live);
  return (
    <>
      <p class="lead">
        A chain for development, id {chainId} · {clientVersion}
      </p>
      <ChainCard />
      <AccountsCard />
      {height !== undefined && <Contracts height={height} />}
      {height !== undefined && <Transactions height={height} />}
    </>
  );
}

function Contracts({ height }: { height: number }) {
  const query = useQuery("contracts", () => readContracts(height), { perBlock: true });
  return (
    <Card title="Contracts" note={query.data && grouped(query.data.length)}>
      <Loaded query={query}>
        {(contracts) => (
          <Table
            caption="Contracts"
            empty="No contract was created yet"
            rows={contracts}
            keyOf={({ address, transaction }) => `${address} ${transaction}`}
            columns={[
              { title: "Name", cell: ({ address }) => <ContractName address={address} /> },
              { title: "Address", cell: ({ address }) => <Hash value={address} page="address" /> },
              { title: "Creator", cell: ({ creator }) => <Account address={creator} /> },
              { title: "Created by", cell: ({ transaction }) => <Hash value={transaction} page="transaction" /> },
              { title: "Block", isNumber: true, cell: ({ block }) => <BlockLink number={block} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Transactions({ height }: { height: number }) {
  const query = useQuery("recent", () => readRecent(height), { perBlock: true });
  const { transactions = [], from = 0 } = query.data ?? {};
  return (
    <Card
      title="Transactions"
      note={from > 0 ? `of the last ${grouped(MAX_BLOCKS)} blocks` : grouped(transactions.length)}
    >
      <Loaded query={query}>{() => <RecentTransactions transactions={transactions} />}</Loaded>
    </Card>
  );
}

function ContractName({ address }: { address: string }) {
  const name = useArtifact(address)?.name;
  return name ? <strong>{name}</strong> : <span class="note">no artifact</span>;
}

function RecentTransactions({ transactions }: { transactions: readonly RecentTransaction[] }) {
  return (
    <Table
      caption="Transactions"
      empty="No transaction was sent yet"
      rows={transactions}
      keyOf={({ transaction }) => transaction.hash}
      columns={[
        { title: "Hash", cell: ({ transaction }) => <Hash value={transaction.hash} page="transaction" /> },
        { title: "Method", cell: ({ transaction }) => action(transaction) },
        { title: "From", cell: ({ transaction }) => <Account address={transaction.from} /> },
        {
          title: "To",
          cell: ({ transaction, receipt }) =>
            receipt.contractAddress === null ? (
              <Receiver transaction={transaction} />
            ) : (
              <>
                <Badge tone="accent">New</Badge> <Account address={receipt.contractAddress} />
              </>
            ),
        },
        {
          title: "Result",
          cell: ({ transaction, receipt }) => (
            <>
              <Status status={receipt.status} />
              {Number(receipt.status) === 0 && <Reason hash={transaction.hash} />}
            </>
          ),
        },
        { title: "Gas used", isNumber: true, cell: ({ receipt }) => grouped(BigInt(receipt.gasUsed)) },
        {
          title: "Block",
          isNumber: true,
          cell: ({ transaction }) => <BlockLink number={Number(transaction.blockNumber)} />,
        },
      ]}
    />
  );
}

/** Why a transaction failed, in a few words. */
function Reason({ hash }: { hash: Hex }) {
  const { data } = useQuery(`reason ${hash}`, () =>
    callAlone<CallFrame>("debug_traceTransaction", hash, { tracer: "callTracer", tracerConfig: { onlyTopCall: true } }),
  );
  if (data === undefined) return null;
  const { words, selector = "" } = failureOf(data.error ?? "", data.output);
  return <span class="why">{`${words} ${selector}`.trim()}</span>;
}
