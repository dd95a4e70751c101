import { decodeAbiParameters, decodeFunctionResult, encodeEventTopics, encodeFunctionData, slice } from "viem";
import { decodeLog } from "../decode/decode.js";
import { BRIDGE_ABI } from "../decode/interfaces.js";
import { BRIDGE } from "../decode/native.js";
import { decodePegOuts, type PegOuts, type UnsignedPegOut } from "../decode/peg-outs.js";
import { coins, decimal, grouped } from "../format/numbers.js";
import { utc } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import type { Hex, Log, Quantity } from "../node/types.js";
import { coinName } from "../ui/coins.js";
import { DecodedText } from "../ui/decoded.js";
import { BlockLink, Card, Fact, Facts, Figure, Figures, Hash, Loaded, Table } from "../ui/parts.js";

/** Number of blocks that are searched for peg-ins and peg-outs, and of events that are shown. */
const EVENT_BLOCKS = 2_000;
const MAX_EVENTS = 50;
/** Wei in the bridge before the first peg-in. */
const SUPPLY = 21_000_000n * 10n ** 18n;
const WEI_PER_SATOSHI = 10n ** 10n;
/** Events that only record maintenance of the bridge. */
const HOUSEWORK: ReadonlySet<string> = new Set(["update_collections", "add_signature"]);

type View = Parameters<typeof encodeFunctionData<typeof BRIDGE_ABI>>[0]["functionName"];

/** The result of a view of the bridge; undefined if the network does not have it yet. */
async function view(functionName: View, args: readonly unknown[] = []): Promise<unknown> {
  try {
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName, args } as never);
    const output = await call<Hex>("eth_call", { to: BRIDGE, data }, "latest");
    return decodeFunctionResult({ abi: BRIDGE_ABI, functionName, data: output } as never);
  } catch {
    return undefined;
  }
}

async function readState() {
  const [balance, height, cap, feePerKb, minimum, queued, next, fees, state] = await Promise.all([
    call<Quantity>("eth_getBalance", BRIDGE, "latest"),
    view("getBtcBlockchainBestChainHeight"),
    view("getLockingCap"),
    view("getFeePerKb"),
    view("getMinimumLockTxValue"),
    view("getQueuedPegoutsCount"),
    view("getNextPegoutCreationBlockNumber"),
    view("getEstimatedFeesForNextPegOutEvent"),
    view("getStateForDebugging"),
  ]);
  const pegOuts = typeof state === "string" ? decodePegOuts(state as Hex) : undefined;
  const signers = await readSigners(pegOuts?.unsigned.map(({ request }) => request) ?? []);
  return { balance, height, cap, feePerKb, minimum, queued, next, fees, pegOuts, signers };
}

/** Keys that signed for requests in the last blocks, by request. */
async function readSigners(requests: readonly Hex[]): Promise<ReadonlyMap<Hex, readonly string[]>> {
  const signers = new Map<Hex, string[]>();
  if (requests.length === 0) return signers;
  const topics = [encodeEventTopics({ abi: BRIDGE_ABI, eventName: "add_signature" })[0], requests];
  const logs = await call<Log[]>("eth_getLogs", { address: BRIDGE, fromBlock: firstEventBlock(), topics });
  for (const {
    topics: [, request],
    data,
  } of logs) {
    const [key] = decodeAbiParameters([{ type: "bytes" }], data);
    signers.set(request!, [...(signers.get(request!) ?? []), key]);
  }
  return signers;
}

function firstEventBlock(): Quantity {
  return `0x${Math.max((live.state.height ?? 0) - EVENT_BLOCKS + 1, 0).toString(16)}`;
}

export function BridgePage() {
  const query = useQuery("bridge", readState, { perBlock: true });
  return (
    <>
      <p class="lead">The two-way peg between this chain and its parent chain, after the best block.</p>
      <Loaded query={query}>
        {({ balance, height, cap, feePerKb, minimum, queued, next, fees, pegOuts, signers }) => (
          <>
            <Figures>
              <Figure name="Parent chain" value={whole(height)} detail="best block that the bridge knows" />
              <Figure name="Balance" value={coins(balance, 0)} detail={`${coinName()} that are not pegged in`} />
              <Figure name="Locking cap" value={satoshi(cap)} detail={`BTC; ${pegged(balance)} BTC are pegged in`} />
              <Figure name="Smallest peg-in" value={satoshi(minimum)} detail="BTC" />
              <Figure name="Queued peg-outs" value={whole(queued)} detail={`next batch from block ${whole(next)}`} />
              <Figure name="Fee" value={whole(feePerKb)} detail={`satoshi per kB; next batch ${whole(fees)}`} />
            </Figures>
            {pegOuts !== undefined && <PegOutTable {...pegOuts} signers={signers} />}
          </>
        )}
      </Loaded>
      <Federation />
      <Events />
    </>
  );
}

function whole(value: unknown): string {
  return typeof value === "bigint" ? grouped(value) : "–";
}

/** Coins of this chain that have left the bridge. */
function pegged(balance: Quantity): string {
  return decimal((SUPPLY - BigInt(balance)) / WEI_PER_SATOSHI, 8, 8);
}

function satoshi(value: unknown): string {
  return typeof value === "bigint" ? decimal(value, 8, 8) : "–";
}

interface PegOutRow {
  stage: string;
  request: Hex | undefined;
  detail: string;
}

/** Shows how far a transaction is signed, and the keys of the members who can sign next. */
function signing(
  { signatures, required, members, request }: UnsignedPegOut,
  signers: ReadonlyMap<Hex, readonly string[]>,
) {
  const signed = signers.get(request) ?? [];
  const next = members.filter((key) => !signed.includes(key)).map((key) => `${slice(key, 0, 5)}…`);
  return `${signatures} of ${required} signatures, next ${next.join(" or ")}`;
}

type PegOutTableProps = PegOuts & { signers: ReadonlyMap<Hex, readonly string[]> };

function PegOutTable({ queued, unconfirmed, unsigned, signers }: PegOutTableProps) {
  const rows: PegOutRow[] = [
    ...queued.map(({ amount, request }) => ({ stage: "queued", request, detail: `${decimal(amount, 8, 8)} BTC` })),
    ...unconfirmed.map(({ request, block, parentId }) => {
      const depth = Math.max((live.state.height ?? block) - block, 0);
      const detail = `created in block ${grouped(block)}, ${grouped(depth)} deep, transaction ${parentId}`;
      return { stage: "confirming", request, detail };
    }),
    ...unsigned.map((pegOut) => {
      const detail = `${signing(pegOut, signers)}, transaction ${pegOut.parentId}`;
      return { stage: "being signed", request: pegOut.request, detail };
    }),
  ];
  return (
    <Card title="Peg-outs under way" note={grouped(rows.length)}>
      <Table
        caption="Peg-outs under way"
        empty="No peg-out is under way"
        rows={rows}
        keyOf={({ stage, request }, index) => `${stage} ${request} ${index}`}
        columns={[
          { title: "Stage", cell: ({ stage }) => stage },
          { title: "Request", cell: ({ request }) => (request ? <Hash value={request} page="transaction" /> : "–") },
          { title: "Detail", cell: ({ detail }) => detail },
        ]}
      />
    </Card>
  );
}

/** Maximum number of members that are read, more than a federation may have. */
const MAX_MEMBERS = 64;

async function readFederation() {
  const [address, size, threshold, created, time, retiring, proposed, pendingSize] = await Promise.all([
    view("getFederationAddress"),
    view("getFederationSize"),
    view("getFederationThreshold"),
    view("getFederationCreationBlockNumber"),
    view("getFederationCreationTime"),
    view("getRetiringFederationAddress"),
    view("getProposedFederationAddress"),
    view("getPendingFederationSize"),
  ]);
  const count = Math.min(Number(size ?? 0), MAX_MEMBERS);
  const keys = await Promise.all(
    Array.from({ length: count }, (_, i) => view("getFederatorPublicKeyOfType", [BigInt(i), "btc"])),
  );
  return { address, size, threshold, created, time, retiring, proposed, pendingSize, keys };
}

function Federation() {
  const query = useQuery("federation", readFederation, { perBlock: true });
  return (
    <Card title="Federation">
      <Loaded query={query}>
        {({ address, size, threshold, created, time, retiring, proposed, pendingSize, keys }) => (
          <>
            <Facts>
              <Fact name="Address on the parent chain">
                <span class="hash whole">{String(address ?? "–")}</span>
              </Fact>
              <Fact name="Signatures">
                {whole(threshold)} of {whole(size)}
              </Fact>
              <Fact name="Created">
                in block {whole(created)}
                {typeof time === "bigint" && <span class="note"> {utc(Number(time))}</span>}
              </Fact>
              <Fact name="Retiring">{nonEmpty(retiring)}</Fact>
              <Fact name="Proposed">{nonEmpty(proposed)}</Fact>
              <Fact name="Pending">
                {typeof pendingSize === "bigint" && pendingSize >= 0n ? `${pendingSize} members so far` : "none"}
              </Fact>
            </Facts>
            <Table
              caption="Members of the federation"
              empty="No members are known"
              rows={keys}
              keyOf={(_, index) => String(index)}
              columns={[
                { title: "Member", cell: (key) => `${keys.indexOf(key) + 1}` },
                {
                  title: "Public key on the parent chain",
                  cell: (key) => (typeof key === "string" ? <Hash value={slice(key as Hex, 0)} whole /> : "–"),
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function nonEmpty(address: unknown): string {
  return typeof address === "string" && address !== "" ? address : "none";
}

function Events() {
  const query = useQuery(
    "bridge events",
    async () => {
      const fromBlock = firstEventBlock();
      const logs = await call<Log[]>("eth_getLogs", { address: BRIDGE, fromBlock, toBlock: "latest" });
      const events = logs.toReversed().map((log) => ({ log, decoded: decodeLog(log) }));
      return events.filter(({ decoded }) => !HOUSEWORK.has(decoded?.name ?? "")).slice(0, MAX_EVENTS);
    },
    { perBlock: true },
  );
  return (
    <Card title="Peg-ins and peg-outs" note={`events of the last ${grouped(EVENT_BLOCKS)} blocks`}>
      <Loaded query={query}>
        {(events) => (
          <Table
            caption="Events of the bridge"
            empty="No peg-in or peg-out in these blocks"
            rows={events}
            keyOf={({ log }) => `${log.transactionHash} ${log.logIndex}`}
            columns={[
              { title: "Block", cell: ({ log }) => <BlockLink number={Number(log.blockNumber)} /> },
              { title: "Transaction", cell: ({ log }) => <Hash value={log.transactionHash} page="transaction" /> },
              {
                title: "Event",
                cell: ({ log, decoded }) =>
                  decoded === undefined ? (
                    <Hash value={log.topics[0] ?? "0x"} />
                  ) : (
                    <DecodedText decoded={decoded} place={{ contract: BRIDGE, block: Number(log.blockNumber) }} />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
