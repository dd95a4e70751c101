import { useMemo } from "preact/hooks";
import { byteCount, grouped, gwei, percent, short } from "../format/numbers.js";
import { age, duration, utc } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { samples } from "../node/samples.js";
import { useStore } from "../node/store.js";
import type { Block, NodeStatus, Quantity, SyncProgress } from "../node/types.js";
import { BlockTable } from "../ui/block-table.js";
import { Chart } from "../ui/chart.js";
import { Badge, Card, Figure, Figures, Meter } from "../ui/parts.js";

/** Milliseconds. */
const EVERY = 5_000;

async function readStatus() {
  const orUndefined = <T,>(answer: Promise<T>) => answer.catch(() => undefined);
  const all = await Promise.all([
    call<SyncProgress | false>("eth_syncing"),
    call<Quantity>("net_peerCount"),
    call<boolean>("net_listening"),
    orUndefined(call<{ pending: number; queued: number }>("txpool_status")),
    call<Quantity>("eth_gasPrice"),
    call<boolean>("eth_mining"),
    call<number>("eth_netHashrate"),
    orUndefined(call<NodeStatus>("debug_nodeStatus")),
  ]);
  samples.add(all[3]?.pending ?? null, all[7]?.memory.resident ?? null);
  return all;
}

export function OverviewPage() {
  const { height, blocks, clientVersion } = useStore(live);
  const { data } = useQuery("overview", readStatus, { every: EVERY, perBlock: true });
  const [syncing, peers, isListening, pool, gasPrice, isMining, hashrate, status] = data ?? [];
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
        <Figure name="Mining" value={isMining === undefined ? "–" : isMining ? "On" : "Off"} detail="built-in miner" />
        <Figure
          name="Network hash rate"
          value={hashrate === undefined ? "–" : `${short(hashrate)} H/s`}
          detail="over the last hour"
        />
        <Process status={status} isKnown={data !== undefined} />
      </Figures>
      <Charts blocks={blocks} />
      <Card title="Latest blocks">
        <BlockTable blocks={blocks.slice(0, 8)} />
      </Card>
    </>
  );
}

/** Memory, disk and time since the start. */
function Process({ status, isKnown }: { status: NodeStatus | undefined; isKnown: boolean }) {
  if (status === undefined) {
    return <Figure name="Memory and disk" value="–" detail={isKnown ? "needs --rpc.modules debug" : undefined} />;
  }
  const { memory, disk, uptime } = status;
  return (
    <>
      <Figure name="Memory" value={byteCount(memory.resident)} detail={`${byteCount(memory.available)} available`} />
      <Figure
        name="Free disk space"
        value={disk === null ? "–" : byteCount(disk.free)}
        detail={disk === null ? "unknown" : `of ${byteCount(disk.size)}`}
      />
      <Figure name="Running for" value={duration(uptime)} detail={since(uptime)} />
    </>
  );
}

function since(uptime: number): string {
  return `since ${utc(Math.floor(Date.now() / 1000 - uptime)).slice(0, 16)}`;
}

function syncFigure(syncing: SyncProgress | false | undefined) {
  if (syncing === undefined) return { value: "–" };
  if (syncing === false) return { value: <Badge tone="good">Synchronised</Badge>, detail: "follows the chain" };
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
      // The genesis block is of any time.
      interval: rising.map(({ timestamp, number }, i) =>
        i === 0 || Number(number) <= 1 ? null : Number(timestamp) - Number(rising[i - 1]!.timestamp),
      ),
    };
  }, [blocks]);
  const { x } = series;
  const { times, pending, memory } = useStore(samples);
  return (
    <div class="charts">
      <Chart title="Transactions per block" unit="blocks" x={x} y={series.transactions} kind="bars" format={short} />
      <Chart title="Gas used" unit="blocks" x={x} y={series.gas} kind="bars" format={short} />
      <Chart title="Time between blocks" unit="blocks" x={x} y={series.interval} kind="line" format={duration} />
      <Chart title="Pending transactions" unit="samples" x={times} y={pending} kind="line" isTime format={short} />
      <Chart title="Memory" unit="samples" x={times} y={memory} kind="line" isTime format={byteCount} />
      <Chart title="Minimum gas price (gwei)" unit="blocks" x={x} y={series.price} kind="line" format={short} />
    </div>
  );
}
