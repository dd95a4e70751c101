import { asciiOf } from "../decode/decode.js";
import { grouped, gwei, percent } from "../format/numbers.js";
import { age, utc } from "../format/time.js";
import { call } from "../node/client.js";
import { useQuery } from "../node/query.js";
import type { Block, Receipt, Transaction } from "../node/types.js";
import { linkTo } from "../routes.js";
import { Account } from "../ui/account.js";
import { Coins } from "../ui/coins.js";
import { Card, Copy, Fact, Facts, Hash, Loaded } from "../ui/parts.js";
import { TransactionTable } from "../ui/transaction-table.js";

type FullBlock = Omit<Block, "transactions"> & { transactions: readonly Transaction[] };

export function BlockPage({ subject }: { subject: string }) {
  const query = useQuery(
    `block ${subject}`,
    () =>
      subject.startsWith("0x")
        ? call<FullBlock | null>("eth_getBlockByHash", subject, true)
        : call<FullBlock | null>("eth_getBlockByNumber", `0x${Number(subject).toString(16)}`, true),
    { perBlock: true },
  );
  return (
    <Loaded query={query}>
      {(block) => (block === null ? <p class="notice">This node has no block {subject}.</p> : <Found block={block} />)}
    </Loaded>
  );
}

function Found({ block }: { block: FullBlock }) {
  const number = Number(block.number);
  const receipts = useQuery(`receipts ${block.hash}`, () => call<Receipt[]>("eth_getBlockReceipts", block.hash));
  const statuses = receipts.data?.map(({ status }) => status);
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
      <Card title="Transactions" note={grouped(block.transactions.length)}>
        <TransactionTable transactions={block.transactions} isMined statuses={statuses} />
      </Card>
      <MergedMining block={block} />
    </>
  );
}

/** The deployed network has another name for the header. */
type MergedMiningBlock = FullBlock & { bitcoinMergedMiningHeader?: string };

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
