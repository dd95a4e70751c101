import { useMemo } from "preact/hooks";
import { coins, grouped, gwei, percent, short } from "../format/numbers.js";
import { age, duration } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Block, Quantity, SyncProgress } from "../node/types.js";
import { Chart } from "../ui/chart.js";
import { Badge, BlockLink, Card, Figure, Figures, Hash, Meter, Table } from "../ui/parts.js";

/** Milliseconds. */
const EVERY = 5_000;

function readStatus() {
  const orUndefined = <T,>(answer: Promise<T>) => answer.catch(() => undefined);
  return Promise.all([
    call<SyncProgress | false>("eth_syncing"),
    call<Quantity>("net_peerCount"),
    call<boolean>("net_listening"),
    orUndefined(call<{ pending: number; queued: number }>("txpool_status")),
    call<Quantity>("eth_gasPrice"),
    call<boolean>("eth_mining"),
    call<number>("eth_netHashrate"),
    call<string>("eth_coinbase"),
  ]);
}

export function OverviewPage() {
  const { height, blocks, clientVersion } = useStore(live);
  const { data } = useQuery("overview", readStatus, { every: EVERY, perBlock: true });
  const [syncing, peers, isListening, pool, gasPrice, isMining, hashrate] = data ?? [];
  const best = blocks[0];
  return (
    <>
      <p class="lead">{clientVersion}</p>
      <Figures>
        <Figure
          name="Best block"
          value={height === undefined ? "–" : grouped(height)}
          detail={best && age(Number(best.timestamp))}
        />
        <Figure name="Synchronisation" {...syncFigure(syncing)} />
        <Figure
          name="Peers"
          value={peers === undefined ? "–" : Number(peers)}
          detail={isListening ? "listening" : "not listening"}
        />
        <Figure
          name="Pool"
          value={pool === undefined ? "–" : grouped(pool.pending)}
          detail={pool && `${grouped(pool.queued)} queued`}
        />
        <Figure name="Gas price" value={gasPrice === undefined ? "–" : `${gwei(gasPrice)}`} detail="gwei" />
        <Figure
          name="Network hash rate"
          value={hashrate === undefined ? "–" : `${short(hashrate)}H/s`}
          detail={isMining ? "this node mines" : "this node does not mine"}
        />
      </Figures>
      <Charts blocks={blocks} />
      <Card title="Latest blocks">
        <LatestBlocks blocks={blocks.slice(0, 8)} />
      </Card>
    </>
  );
}

function syncFigure(syncing: SyncProgress | false | undefined) {
  if (syncing === undefined) return { value: "–" };
  if (syncing === false) return { value: <Badge tone="good">Synchronised</Badge> };
  const [current, highest] = [Number(syncing.currentBlock), Number(syncing.highestBlock)];
  const left = `${percent(current, highest)} of ${grouped(highest)}`;
  return { value: <Meter value={current / Math.max(highest, 1)} label={left} />, detail: left };
}

function Charts({ blocks }: { blocks: readonly Block[] }) {
  const series = useMemo(() => {
    const rising = blocks.toReversed();
    return {
      x: rising.map(({ number }) => Number(number)),
      transactions: rising.map(({ transactions }) => transactions.length),
      gas: rising.map(({ gasUsed }) => Number(gasUsed)),
      price: rising.map(({ minimumGasPrice }) => Number(minimumGasPrice ?? 0) / 1e9),
      interval: rising.map(({ timestamp }, i) =>
        i === 0 ? null : Number(timestamp) - Number(rising[i - 1]!.timestamp),
      ),
    };
  }, [blocks]);
  const { x } = series;
  return (
    <div class="charts">
      <Chart title="Transactions per block" unit="blocks" x={x} y={series.transactions} kind="bars" format={short} />
      <Chart title="Gas used" unit="blocks" x={x} y={series.gas} kind="bars" format={short} />
      <Chart title="Time between blocks" unit="blocks" x={x} y={series.interval} kind="line" format={duration} />
      <Chart title="Minimum gas price (gwei)" unit="blocks" x={x} y={series.price} kind="line" format={short} />
    </div>
  );
}

export function LatestBlocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <Table
      caption="Blocks"
      empty="No blocks yet"
      rows={blocks}
      keyOf={({ hash }) => hash}
      columns={[
        { title: "Block", cell: ({ number }) => <BlockLink number={Number(number)} /> },
        { title: "Hash", cell: ({ hash }) => <Hash value={hash} page="block" /> },
        { title: "Age", cell: ({ timestamp }) => age(Number(timestamp)) },
        { title: "Transactions", isNumber: true, cell: ({ transactions }) => grouped(transactions.length) },
        { title: "Gas used", isNumber: true, cell: ({ gasUsed }) => grouped(BigInt(gasUsed)) },
        { title: "Fees", isNumber: true, cell: ({ paidFees }) => coins(paidFees ?? 0n) },
        { title: "Miner", cell: ({ miner }) => <Hash value={miner} page="address" /> },
      ]}
    />
  );
}
