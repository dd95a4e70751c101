import { useMemo } from "preact/hooks";
import { DevelopmentOverview } from "../development/overview.js";
import { byteCount, grouped, gwei, short, significant } from "../format/numbers.js";
import { statusOf } from "../format/status.js";
import { blockAge, duration, utc } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { samples } from "../node/samples.js";
import { useStore } from "../node/store.js";
import type { Block, NodeStatus, Quantity, Readiness } from "../node/types.js";
import { BlockTable } from "../ui/block-table.js";
import { Chart } from "../ui/chart.js";
import { Badge, Card, Figure, Figures, Meter } from "../ui/parts.js";

/** Milliseconds. */
const EVERY = 5_000;

async function readStatus() {
  const orUndefined = <T,>(answer: Promise<T>) => answer.catch(() => undefined);
  const all = await Promise.all([
    call<Quantity>("net_peerCount"),
    call<boolean>("net_listening"),
    orUndefined(call<{ pending: number; queued: number }>("txpool_status")),
    call<Quantity>("eth_gasPrice"),
    call<boolean>("eth_mining"),
    call<number>("eth_netHashrate"),
    orUndefined(call<NodeStatus>("debug_nodeStatus")),
  ]);
  samples.add(all[2]?.pending ?? null, all[6]?.memory.resident ?? null);
  return all;
}

export function OverviewPage() {
  const { modules, chainId } = useStore(live);
  // The modules tell which overview to show.
  if (chainId === undefined && live.state.transport === "connecting") return <p class="empty">Loading…</p>;
  return modules.has("dev") ? <DevelopmentOverview /> : <NodeOverview />;
}

function NodeOverview() {
  const { height, blocks, clientVersion, transport, readiness } = useStore(live);
  const { data } = useQuery("overview", readStatus, { every: EVERY, perBlock: true });
  const [peers, isListening, pool, gasPrice, isMining, hashrate, status] = data ?? [];
  const best = blocks[0];
  return (
    <>
      <p class="lead">
        {clientVersion}
        {transport === "websocket" && " · the page is notified of new blocks"}
        {transport === "polling" && " · the page asks for new blocks"}
      </p>
      <Remedy />
      <Figures>
        <StatusFigure />
        <Figure
          name="Best block"
          value={height === undefined ? "–" : grouped(height)}
          detail={best && (height === 0 ? "the genesis block" : blockAge(best))}
        />
        <Figure name="Peers" {...peersFigure(peers, isListening, readiness)} />
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
        {readiness !== undefined && (
          <Figure name="Trust" value={shownTrust(readiness)} detail="basis of trust in the chain" />
        )}
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

function shownTrust({ trust }: Readiness): string {
  return trust.charAt(0).toUpperCase() + trust.slice(1);
}

function since(uptime: number): string {
  return `since ${utc(Math.floor(Date.now() / 1000 - uptime)).slice(0, 16)}`;
}

function peersFigure(peers: Quantity | undefined, isListening = false, readiness: Readiness | undefined) {
  if (readiness !== undefined && readiness.peers === undefined) return { value: "None", detail: "a chain of its own" };
  return {
    value: peers === undefined ? "–" : grouped(Number(peers)),
    detail: isListening ? "listening" : "not listening",
  };
}

function StatusFigure() {
  const state = useStore(live);
  const { tone, title, detail } = statusOf(state);
  const progress = state.readiness?.progress ?? null;
  return (
    <Figure
      name="Status"
      value={<Badge tone={tone}>{title}</Badge>}
      detail={
        <>
          {detail}
          {progress !== null && <Meter value={progress / 100} label={title} />}
        </>
      }
    />
  );
}

/** Advice about the status. */
function Remedy() {
  const { remedy } = statusOf(useStore(live));
  return remedy === undefined ? null : <p class="notice bad">{remedy}</p>;
}

function Charts({ blocks }: { blocks: readonly Block[] }) {
  const series = useMemo(() => {
    // The genesis block has no measured values.
    const rising = blocks.filter(({ number }) => Number(number) > 0).toReversed();
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
  const { times, pending, memory } = useStore(samples);
  return (
    <div class="charts">
      <Chart title="Transactions per block" unit="blocks" x={x} y={series.transactions} kind="bars" format={short} />
      <Chart title="Gas used" unit="blocks" x={x} y={series.gas} kind="bars" format={short} />
      <Chart
        title="Time between blocks"
        unit="blocks"
        x={x}
        y={series.interval}
        kind="line"
        values="seconds"
        format={duration}
      />
      <Chart title="Pending transactions" unit="samples" x={times} y={pending} kind="line" isTime format={short} />
      <Chart title="Memory" unit="samples" x={times} y={memory} kind="line" isTime format={byteCount} />
      <Chart
        title="Minimum gas price (gwei)"
        unit="blocks"
        x={x}
        y={series.price}
        kind="line"
        values="fractions"
        format={significant}
      />
    </div>
  );
}
