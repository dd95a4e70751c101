import { useMemo } from "preact/hooks";
import { asciiOf } from "../decode/decode.js";
import { grouped, percent, short } from "../format/numbers.js";
import { call, isMissing } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Block, Hex, NodeStatus, Quantity } from "../node/types.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import {
  BlockLink,
  Card,
  Copy,
  Fact,
  Facts,
  Figure,
  Figures,
  Hash,
  Loaded,
  Meter,
  Missing,
  Table,
} from "../ui/parts.js";

const EVERY = 5_000;
const ZERO = /^0x0*$/;
/** `RSKBLOCK:` in hex: the tag, which the hash for merged mining follows. */
const TAG = "52534b424c4f434b3a";

interface Work {
  blockHashForMergedMining: Hex;
  target: Hex;
  feesPaidToMiner: string;
  notify: boolean;
  parentBlockHash: Hex;
}

async function readMining() {
  const status = call<NodeStatus>("debug_nodeStatus").catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const [isMining, coinbase, ownRate, networkRate, found] = await Promise.all([
    call<boolean>("eth_mining"),
    call<Hex>("eth_coinbase"),
    call<Quantity>("eth_hashrate"),
    call<number>("eth_netHashrate"),
    status,
  ]);
  return { isMining, coinbase, ownRate, networkRate, submissions: found?.submissions };
}

export function MiningPage() {
  const { blocks } = useStore(live);
  const query = useQuery("mining", readMining, { every: EVERY, perBlock: true });
  const coinbase = query.data?.coinbase;
  return (
    <>
      <Loaded query={query}>
        {({ isMining, ownRate, networkRate, submissions }) => (
          <Figures>
            <Figure name="Built-in miner" value={isMining ? "on" : "off"} detail="local networks only" />
            <Figure
              name="Hash rate of miners"
              value={`${short(Number(ownRate))} H/s`}
              detail="that report it to this node"
            />
            <Figure name="Network hash rate" value={`${short(networkRate)} H/s`} detail="over the last hour" />
            <Figure
              name="Submissions accepted"
              value={submissions === undefined ? "–" : grouped(submissions.accepted)}
              detail={
                submissions === undefined ? "needs --rpc.modules debug" : `${grouped(submissions.refused)} refused`
              }
            />
            <Figure name="Own blocks" value={ownShare(blocks, coinbase)} detail={`of the last ${blocks.length}`} />
          </Figures>
        )}
      </Loaded>
      <CurrentWork />
      <Shares blocks={blocks} own={coinbase} />
      <Tags blocks={blocks.slice(0, 15)} />
    </>
  );
}

function ownShare(blocks: readonly Block[], coinbase = ""): string {
  if (ZERO.test(coinbase)) return "–";
  return percent(blocks.filter(({ miner }) => miner === coinbase).length, blocks.length);
}

function CurrentWork() {
  const query = useQuery("work", () => call<Work>("mnr_getWork"), { every: EVERY, perBlock: true });
  return (
    <Card title="Work" note="what mnr_getWork offers to merged miners">
      <Loaded query={query} missing={<Missing what="work" flag="--miner.server --miner.address <address>" />}>
        {(work) => (
          <Facts>
            <Fact name="Hash for the tag">
              <Hash value={work.blockHashForMergedMining} whole />{" "}
              <Copy text={work.blockHashForMergedMining} what="hash for merged mining" />
            </Fact>
            <Fact name="Tag in the coinbase">
              <code>RSKBLOCK:</code> and these 32 bytes
            </Fact>
            <Fact name="Target">
              <Hash value={work.target} whole />
            </Fact>
            <Fact name="Difficulty">{short(Number(2n ** 256n / (BigInt(work.target) || 1n)))}</Fact>
            <Fact name="Fees for the miner">
              <Coins wei={work.feesPaidToMiner} />
            </Fact>
            <Fact name="Parent block">
              <Hash value={work.parentBlockHash} page="block" whole />
            </Fact>
            <Fact name="Worth interrupting miners">{work.notify ? "yes" : "no"}</Fact>
          </Facts>
        )}
      </Loaded>
    </Card>
  );
}

interface Share {
  miner: Hex;
  count: number;
}

function Shares({ blocks, own }: { blocks: readonly Block[]; own: string | undefined }) {
  const shares = useMemo(() => {
    const counts = new Map<Hex, number>();
    for (const { miner } of blocks) counts.set(miner, (counts.get(miner) ?? 0) + 1);
    return [...counts].map(([miner, count]): Share => ({ miner, count })).toSorted((a, b) => b.count - a.count);
  }, [blocks]);
  return (
    <Card title="Share of blocks" note={`of the last ${blocks.length} blocks`}>
      <Table
        caption="Share of blocks by miner"
        empty="No blocks yet"
        rows={shares}
        keyOf={({ miner }) => miner}
        columns={[
          { title: "Miner", cell: ({ miner }) => <Account address={miner} /> },
          { title: "This node", cell: ({ miner }) => (miner === own ? "yes" : "no") },
          { title: "Blocks", isNumber: true, cell: ({ count }) => grouped(count) },
          { title: "Part", isNumber: true, cell: ({ count }) => percent(count, blocks.length) },
          {
            title: "Share",
            cell: ({ count }) => (
              <Meter value={count / Math.max(blocks.length, 1)} label={percent(count, blocks.length)} />
            ),
          },
        ]}
      />
    </Card>
  );
}

function Tags({ blocks }: { blocks: readonly Block[] }) {
  return (
    <Card title="Tags" note="what miners wrote into the latest blocks and into their parent-chain coinbases">
      <Table
        caption="Tags of the latest blocks"
        empty="No blocks yet"
        rows={blocks}
        keyOf={({ hash }) => hash}
        columns={[
          { title: "Block", cell: ({ number }) => <BlockLink number={Number(number)} /> },
          { title: "Miner", cell: ({ miner }) => <Account address={miner} /> },
          { title: "Extra data", cell: ({ extraData }) => asciiOf(extraData) ?? <Hash value={extraData} /> },
          { title: "Tag", cell: (block) => tagOf(block) },
        ]}
      />
    </Card>
  );
}

function tagOf({ parentChainMergedMiningCoinbaseTransaction: coinbase = "0x" }: Block): string {
  const at = coinbase.lastIndexOf(TAG);
  if (at < 0) return "none";
  const hash = coinbase.slice(at + TAG.length, at + TAG.length + 64);
  return `RSKBLOCK:${hash.slice(0, 10)}…`;
}
