import { useState } from "preact/hooks";
import { ContractCard } from "../contract/contract-card.js";
import { BRIDGE, nativeName } from "../decode/native.js";
import { checksummed } from "../format/addresses.js";
import { decimal, grouped } from "../format/numbers.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import { tokenViews } from "../node/tokens.js";
import type { Hex, Log, Quantity } from "../node/types.js";
import { linkTo } from "../routes.js";
import { Coins } from "../ui/coins.js";
import { Badge, Card, Copy, Fact, Facts, Hash, Loaded, Table } from "../ui/parts.js";
import { AddressTransactions } from "./address-transactions.js";
import { Logs, LongHex } from "./transaction.js";

/** Number of blocks that are searched for logs. */
const LOG_BLOCKS = 1_000;
const MAX_LOGS = 50;

export function AddressPage({ subject }: { subject: string }) {
  if (!/^0x[0-9a-f]{40}$/i.test(subject))
    return <p class="notice">“{subject}” is no address: 40 hex digits after 0x.</p>;
  return <Found address={subject as Hex} />;
}

function Found({ address }: { address: Hex }) {
  const name = nativeName(address);
  const { chainId } = useStore(live);
  const query = useQuery(
    `account ${address}`,
    async () => {
      const [balance, nonce, code] = await Promise.all([
        call<Quantity>("eth_getBalance", address, "latest"),
        call<Quantity>("eth_getTransactionCount", address, "latest"),
        call<Hex>("eth_getCode", address, "latest"),
      ]);
      return { balance, nonce, code };
    },
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {({ balance, nonce, code }) => {
        const isContract = name !== undefined || code !== "0x";
        return (
          <>
            <Card title={isContract ? "Contract" : "Account"} note={name}>
              <Facts>
                <Fact name="Address">
                  <Hash value={address} whole /> <Copy text={checksummed(address, chainId)} what="address" />
                </Fact>
                <Fact name="Balance">
                  <Coins wei={balance} />
                </Fact>
                <Fact name="Nonce">{grouped(BigInt(nonce))}</Fact>
                {name !== undefined && (
                  <Fact name="Part of the node">
                    {name}{" "}
                    {address.toLowerCase() === BRIDGE && (
                      <a href={linkTo("bridge")}>peg-ins, peg-outs and federation</a>
                    )}
                  </Fact>
                )}
                <Fact name="Code">{code === "0x" ? "none" : `${grouped((code.length - 2) / 2)} bytes`}</Fact>
              </Facts>
            </Card>
            {code !== "0x" && name === undefined && <ContractCard address={address} code={code} />}
            {isContract && name === undefined && <Token address={address} />}
            {name === undefined && <AddressTransactions address={address} />}
            {isContract && <Storage address={address} />}
            {isContract && <RecentLogs address={address} />}
            {code !== "0x" && name === undefined && (
              <Card title="Code" note={<Copy text={code} what="code" />}>
                <LongHex value={code} />
              </Card>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** Shows the description of a token by its own methods, which may return anything. */
function Token({ address }: { address: Hex }) {
  const { data } = useQuery(`token ${address}`, () => tokenViews(address));
  if (data?.symbol === undefined || data.totalSupply === undefined) return null;
  const digits = Math.min(data.decimals ?? 0, 77);
  return (
    <Card title="Token">
      <Facts>
        <Fact name="Name">{data.name ?? "–"}</Fact>
        <Fact name="Symbol">{data.symbol}</Fact>
        <Fact name="Decimals">{digits}</Fact>
        <Fact name="Total supply">
          {decimal(data.totalSupply, digits, digits)} {data.symbol}
        </Fact>
      </Facts>
    </Card>
  );
}

interface Slot {
  position: string;
  value: string;
}

/** Shows the cells that the user selects: a position, or a range such as `0-9`. */
function Storage({ address }: { address: Hex }) {
  const [text, setText] = useState("0-3");
  const [slots, setSlots] = useState<readonly Slot[]>();
  const [problem, setProblem] = useState("");
  const read = async () => {
    const positions = positionsOf(text);
    const values = await Promise.all(
      positions.map((position) => call<Hex>("eth_getStorageAt", address, `0x${position.toString(16)}`, "latest")),
    );
    setSlots(values.map((value, i) => ({ position: positions[i]!.toString(), value })));
    setProblem("");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    read().catch(({ message }: Error) => setProblem(message));
  };
  return (
    <Card title="Storage">
      <form class="row end" onSubmit={submit}>
        <label>
          Slots
          <input
            value={text}
            spellcheck={false}
            placeholder="0, 0-9 or 0x…"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Read</button>
      </form>
      {problem !== "" && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {slots !== undefined && (
        <Table
          caption="Storage slots"
          empty="No slots"
          rows={slots}
          keyOf={({ position }) => position}
          columns={[
            { title: "Slot", cell: ({ position }) => (position.length > 20 ? `${position.slice(0, 18)}…` : position) },
            { title: "Value", cell: ({ value }) => <Hash value={value} whole /> },
            { title: "Number", isNumber: true, cell: ({ value }) => shortNumber(value) },
          ]}
        />
      )}
    </Card>
  );
}

const MAX_SLOTS = 100;

function positionsOf(text: string): bigint[] {
  return text.split(",").flatMap((part) => {
    const [, first, last = first] =
      /^\s*(0x[0-9a-f]{1,64}|\d{1,78})(?:\s*-\s*(0x[0-9a-f]{1,64}|\d{1,78}))?\s*$/i.exec(part) ?? [];
    if (first === undefined) throw new Error(`"${part}" is no slot: write a number, or a range such as 0-9`);
    const count = Number(BigInt(last!) - BigInt(first)) + 1;
    if (!(count >= 1 && count <= MAX_SLOTS)) throw new Error(`"${part}" is no range of 1 to ${MAX_SLOTS} slots`);
    return Array.from({ length: count }, (_, i) => BigInt(first) + BigInt(i));
  });
}

function shortNumber(value: string): string {
  const number = BigInt(value === "0x" ? 0 : value);
  return number < 2n ** 96n ? grouped(number) : "–";
}

function RecentLogs({ address }: { address: Hex }) {
  const query = useQuery(
    `logs ${address}`,
    async () => {
      const best = live.state.height ?? 0;
      const fromBlock = `0x${Math.max(best - LOG_BLOCKS + 1, 0).toString(16)}`;
      return (await call<Log[]>("eth_getLogs", { address, fromBlock, toBlock: "latest" })).toReversed();
    },
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {(logs) => (
        <>
          <Logs logs={logs.slice(0, MAX_LOGS)} title={`Logs of the last ${grouped(LOG_BLOCKS)} blocks`} />
          {logs.length > MAX_LOGS && (
            <Badge tone="plain">{grouped(logs.length - MAX_LOGS)} older ones are not shown</Badge>
          )}
        </>
      )}
    </Loaded>
  );
}
