import { asciiOf } from "../decode/decode.js";
import { grouped, gwei, percent } from "../format/numbers.js";
import { searched } from "../format/searched.js";
import { age, utc } from "../format/time.js";
import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { useQuery } from "../node/query.js";
import { useStore } from "../node/store.js";
import type { Block, Receipt, Transaction } from "../node/types.js";
import { linkTo } from "../routes.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import { Pager, usePart } from "../ui/pager.js";
import { BlockLink, Card, Copy, Fact, Facts, Hash, Loaded } from "../ui/parts.js";
import { TransactionTable } from "../ui/transaction-table.js";

/** Blocks of this subject: a number, or a hash. */
export function BlockPage({ subject }: { subject: string }) {
  const found = searched(subject);
  if (found === undefined || found.kind === "address") {
    return (
      <p class="notice">
        “{subject}” is no block: write its number, or its hash of 64 hex digits. The <a href={linkTo("blocks")}>list</a>{" "}
        has all blocks.
      </p>
    );
  }
  return <Known selector={found.value} isHash={found.kind === "hash"} />;
}

function Known({ selector, isHash }: { selector: string; isHash: boolean }) {
  const { height } = useStore(live);
  const query = useQuery(
    `block ${selector}`,
    () =>
      isHash
        ? call<Block | null>("eth_getBlockByHash", selector, false)
        : call<Block | null>("eth_getBlockByNumber", `0x${Number(selector).toString(16)}`, false),
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {(block) =>
        block !== null ? (
          <Found block={block} />
        ) : (
          <p class="notice">
            This node has no block {isHash ? selector : grouped(Number(selector))}.
            {height !== undefined && (
              <>
                {" "}
                Its best block is <BlockLink number={height} />.
              </>
            )}
          </p>
        )
      }
    </Loaded>
  );
}

function Found({ block }: { block: Block }) {
  const number = Number(block.number);
  const [gasUsed, gasLimit] = [Number(block.gasUsed), Number(block.gasLimit)];
  const extra = asciiOf(block.extraData);
  return (
    <>
      <nav class="row pager" aria-label="Neighbouring blocks">
        {number > 0 && <a href={linkTo("block", String(number - 1))}>← {grouped(number - 1)}</a>}
        <a href={linkTo("block", String(number + 1))}>{grouped(number + 1)} →</a>
      </nav>
      <Card title="Header">
        <Facts>
          <Fact name="Number">{grouped(number)}</Fact>
          <Fact name="Hash">
            <Hash value={block.hash} whole /> <Copy text={block.hash} what="hash" />
          </Fact>
          <Fact name="Parent">
            <Hash value={block.parentHash} whole {...(number > 0 && { page: "block" })} />
          </Fact>
          <Fact name="Time">
            {utc(Number(block.timestamp))} {number > 0 && <span class="note">{age(Number(block.timestamp))}</span>}
          </Fact>
          <Fact name="Miner">
            <Account address={block.miner} whole />
          </Fact>
          <Fact name="Gas used">
            {grouped(gasUsed)} of {grouped(gasLimit)} ({percent(gasUsed, gasLimit)})
          </Fact>
          <Fact name="Fees">
            <Coins wei={block.paidFees ?? 0n} />
          </Fact>
          <Fact name="Minimum gas price">{gwei(block.minimumGasPrice ?? 0n)} gwei</Fact>
          <Fact name="Difficulty">{grouped(BigInt(block.difficulty))}</Fact>
          <Fact name="Total difficulty">{grouped(BigInt(block.totalDifficulty ?? 0))}</Fact>
          <Fact name="Size">{grouped(Number(block.size))} bytes</Fact>
          <Fact name="Extra data">{extra ?? <Hash value={block.extraData} whole />}</Fact>
          <Fact name="State root">
            <Hash value={block.stateRoot} whole />
          </Fact>
          <Fact name="Uncles">
            {block.uncles.length === 0
              ? "none"
              : block.uncles.map((hash) => (
                  <div key={hash}>
                    <Hash value={hash} page="block" whole />
                  </div>
                ))}
          </Fact>
        </Facts>
      </Card>
      <Transactions hashes={block.transactions} />
      <MergedMining block={block} />
    </>
  );
}

/** One page of the transactions: a block may have thousands. */
function Transactions({ hashes }: { hashes: readonly string[] }) {
  const part = usePart(hashes.length, "page");
  const shown = hashes.slice(part.start, part.end);
  const query = useQuery(`transactions ${shown.join()}`, async () => {
    const [transactions, receipts] = await Promise.all([
      Promise.all(shown.map((hash) => call<Transaction | null>("eth_getTransactionByHash", hash))),
      Promise.all(shown.map((hash) => call<Receipt | null>("eth_getTransactionReceipt", hash))),
    ]);
    return transactions.flatMap((transaction, i) =>
      transaction === null ? [] : [{ transaction, status: receipts[i]?.status }],
    );
  });
  const pager = <Pager part={part} count={hashes.length} option="page" what="transactions" />;
  return (
    <Card title="Transactions" note={grouped(hashes.length)}>
      {pager}
      <Loaded query={query}>
        {(rows) => (
          <TransactionTable
            transactions={rows.map(({ transaction }) => transaction)}
            isMined
            statuses={rows.map(({ status }) => status)}
          />
        )}
      </Loaded>
      {pager}
    </Card>
  );
}

/** The deployed network has another name for the header. */
type MergedMiningBlock = Block & { bitcoinMergedMiningHeader?: string };

function MergedMining({ block }: { block: MergedMiningBlock }) {
  const { hashForMergedMining, parentChainMergedMiningHeader, bitcoinMergedMiningHeader } = block;
  const header = parentChainMergedMiningHeader ?? bitcoinMergedMiningHeader ?? "";
  return (
    <Card title="Merged mining">
      <Facts>
        <Fact name="Hash in the tag">
          <Hash value={hashForMergedMining ?? "–"} whole />
        </Fact>
        <Fact name="Parent-chain header">{header.length <= 4 ? "none" : <Hash value={header} whole />}</Fact>
      </Facts>
    </Card>
  );
}
