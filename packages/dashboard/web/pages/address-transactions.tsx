import { useState } from "preact/hooks";
import { decodeCall } from "../decode/decode.js";
import { coins, grouped } from "../format/numbers.js";
import { callAlone, isMissing } from "../node/client.js";
import { isDeveloped, live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Hex, Quantity } from "../node/types.js";
import { Account } from "../ui/account.js";
import { coinName } from "../ui/coins.js";
import { Badge, BlockLink, Card, Hash, Loaded, Missing, Table } from "../ui/parts.js";

/** Number of blocks in one search. The node executes them again: more blocks if they are small. */
const BLOCKS = 100;
const LOCAL_BLOCKS = 2_000;
const MAX_SHOWN = 200;

/** A call of `trace_filter`. */
interface Trace {
  type: string;
  action: { from?: Hex; to?: Hex; input?: Hex; value?: Quantity };
  result?: { gasUsed?: Quantity; address?: Hex } | null;
  error?: string;
  transactionHash: Hex;
  blockNumber: number;
  traceAddress: readonly number[];
}

/** The transactions that an account sent or received, and the calls of other transactions that reached it. */
export function AddressTransactions({ address }: { address: Hex }) {
  const { height, chainId } = useStore(live);
  const [searched, setSearched] = useState(0);
  if (height === undefined || chainId === undefined) return null;
  const step = isDeveloped() ? LOCAL_BLOCKS : BLOCKS;
  const blocks = isDeveloped() && searched === 0 ? step : searched;
  const from = Math.max(height - blocks + 1, 0);
  return (
    <Card
      title="Transactions"
      note={blocks > 0 ? (from === 0 ? "of all blocks" : `of the last ${grouped(blocks)} blocks`) : undefined}
    >
      {blocks > 0 && <Found address={address} from={from} to={height} blocks={blocks} />}
      {(blocks === 0 || from > 0) && (
        <p class="row">
          <button type="button" onClick={() => setSearched(blocks + step)}>
            {blocks === 0 ? `Search the last ${grouped(step)} blocks` : `Search ${grouped(step)} more blocks`}
          </button>
          {blocks === 0 && <span class="note">The node executes them again.</span>}
        </p>
      )}
    </Card>
  );
}

function Found({ address, from, to, blocks }: { address: Hex; from: number; to: number; blocks: number }) {
  const query = useQuery(`transactions ${address} ${blocks}`, () => search(address, from, to), {
    perBlock: isDeveloped(),
  });
  if (query.error !== undefined && isMissing(query.error)) return <Missing what="traces" flag="--rpc.modules trace" />;
  return (
    <Loaded query={query}>
      {(traces) => (
        <>
          <Table
            caption="Transactions"
            empty="No transactions"
            rows={traces.slice(0, MAX_SHOWN)}
            keyOf={({ transactionHash, traceAddress }) => `${transactionHash} ${traceAddress.join()}`}
            columns={[
              { title: "Hash", cell: ({ transactionHash }) => <Hash value={transactionHash} page="transaction" /> },
              { title: "Block", isNumber: true, cell: ({ blockNumber }) => <BlockLink number={blockNumber} /> },
              { title: "Method", cell: (trace) => <Method trace={trace} /> },
              {
                title: "From",
                cell: ({ action }) => (action.from === undefined ? "–" : <Account address={action.from} />),
              },
              { title: "To", cell: ({ action, result }) => <To address={action.to ?? result?.address} /> },
              { title: `Value (${coinName()})`, isNumber: true, cell: ({ action }) => coins(action.value ?? 0n) },
              {
                title: "Result",
                cell: ({ error }) =>
                  error === undefined ? <Badge tone="good">Success</Badge> : <Badge tone="bad">{error}</Badge>,
              },
            ]}
          />
          {traces.length > MAX_SHOWN && <p class="note">Older ones are not shown.</p>}
        </>
      )}
    </Loaded>
  );
}

function To({ address }: { address: Hex | undefined }) {
  return address === undefined ? <>–</> : <Account address={address} />;
}

function Method({ trace: { type, action, traceAddress } }: { trace: Trace }) {
  const { to, input = "0x" } = action;
  const name =
    type === "create"
      ? "creation"
      : input.length <= 4
        ? "transfer"
        : (decodeCall(to, input)?.name ?? input.slice(0, 10));
  return (
    <>
      {name} {traceAddress.length > 0 && <span class="note">inner call</span>}
    </>
  );
}

/** The newest first; of each transaction, the outermost call that concerns the account. */
async function search(address: Hex, from: number, to: number): Promise<Trace[]> {
  const byHash = new Map<string, Trace>();
  for (let top = to; top >= from && byHash.size <= MAX_SHOWN; top -= BLOCKS) {
    const [fromBlock, toBlock] = [Math.max(top - BLOCKS + 1, from), top].map((number) => `0x${number.toString(16)}`);
    const found = await Promise.all([
      callAlone<Trace[]>("trace_filter", { fromBlock, toBlock, fromAddress: [address] }),
      callAlone<Trace[]>("trace_filter", { fromBlock, toBlock, toAddress: [address] }),
    ]);
    for (const trace of found.flat()) {
      const known = byHash.get(trace.transactionHash);
      const isOuter = known === undefined || trace.traceAddress.length < known.traceAddress.length;
      if (trace.transactionHash && isOuter) byHash.set(trace.transactionHash, trace);
    }
  }
  return [...byHash.values()].sort((a, b) => b.blockNumber - a.blockNumber);
}
