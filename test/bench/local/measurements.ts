import { keccak256, toUtf8Bytes, Wallet } from "ethers";
import type { Connection } from "./connection.js";

export type Print = (name: string, value: number, unit: string, peer?: string) => void;

/** Seconds until the hottest code is compiled. */
const WARM_UP_SECONDS = 3;
const SECONDS = 4;
const SENDERS = 17;
/** Number of transactions per sender, before and in the measurement. */
const WARM_UP_TRANSACTIONS = 20;
const TRANSACTIONS = 100;
const REVERTS = 200;
/** Numbers of blocks that are reverted together, and how often. */
const LONG_REVERTS = [
  { blocks: 1, count: 9 },
  { blocks: 200, count: 5 },
  { blocks: 2_000, count: 3 },
];
const RECEIPT_SECONDS = 30;

const GAS_PRICE = 2_000_000_000;
const RECEIVER = `0x${"11".repeat(20)}`;
const ETHER = `0x${(10n ** 18n).toString(16)}`;

/**
 * Measures typical work of contract test suites on a chain that mines each transaction, with separate accounts.
 * Resolves to the number of transactions with receipt of one sender in a second.
 */
export async function measure(connect: () => Connection, print: Print, processorTime?: () => number): Promise<number> {
  const connection = connect();
  const [from] = await connection.ask("eth_accounts");
  let sent = 0;
  // All transactions differ: after a revert, a repeated one would not be new everywhere.
  const send = () => transfer(connection, { from, to: RECEIVER, value: `0x${(++sent).toString(16)}` });
  let timeBefore = 0;
  const { rate, count } = await perSecond(send, () => {
    timeBefore = processorTime?.() ?? 0;
  });
  print("transactions with receipt, one sender", rate, "transactions/s");
  if (processorTime !== undefined) {
    print("processor time of one of them", (processorTime() - timeBefore) / count, "ms");
  }
  print(
    `transactions with receipt, ${SENDERS} senders`,
    await concurrently(connect, connection, from),
    "transactions/s",
  );
  const mine = () => connection.ask("evm_mine");
  print("evm_mine", (await perSecond(mine)).rate, "blocks/s");
  print("snapshot, transaction and revert", await snapshots(connection, send), "ms");
  for (const { blocks, count } of LONG_REVERTS) {
    const name = blocks === 1 ? "revert of 1 block" : `revert of ${blocks} blocks`;
    print(name, await longRevert(connection, blocks, count), "ms");
  }
  connection.close();
  return rate;
}

async function transfer(connection: Connection, own: object): Promise<void> {
  const request = { gas: "0x5208", gasPrice: `0x${GAS_PRICE.toString(16)}`, ...own };
  await receipt(connection, await connection.ask("eth_sendTransaction", request));
}

async function receipt(connection: Connection, hash: string): Promise<void> {
  const end = performance.now() + RECEIPT_SECONDS * 1000;
  while ((await connection.ask("eth_getTransactionReceipt", hash)) === null) {
    if (performance.now() > end) throw new Error(`${hash} was not mined within ${RECEIPT_SECONDS} seconds`);
  }
}

/** Repeats an action, one at a time. */
async function perSecond(act: () => Promise<unknown>, onStart: () => unknown = () => undefined) {
  for (const end = performance.now() + WARM_UP_SECONDS * 1000; performance.now() < end; ) await act();
  onStart();
  const start = performance.now();
  let count = 0;
  for (; performance.now() < start + SECONDS * 1000; count++) await act();
  return { count, rate: (count * 1000) / (performance.now() - start) };
}

/** Transactions per second of several senders, each of which waits for the receipt of one before it sends the next. */
async function concurrently(connect: () => Connection, funder: Connection, from: string): Promise<number> {
  const senders: { connection: Connection; signed: string[] }[] = [];
  const chainId = Number(await funder.ask("eth_chainId"));
  for (let i = 0; i < SENDERS; i++) {
    const wallet = new Wallet(keccak256(toUtf8Bytes(`bench${i}`)));
    await transfer(funder, { from, to: wallet.address, value: ETHER });
    const first = Number(await funder.ask("eth_getTransactionCount", wallet.address, "latest"));
    senders.push({ connection: connect(), signed: await sign(wallet, chainId, first) });
  }
  const sendAll = (start: number, end?: number) =>
    Promise.all(
      senders.map(async ({ connection, signed }) => {
        for (const raw of signed.slice(start, end)) {
          await receipt(connection, await connection.ask("eth_sendRawTransaction", raw));
        }
      }),
    );
  await sendAll(0, WARM_UP_TRANSACTIONS);
  const start = performance.now();
  await sendAll(WARM_UP_TRANSACTIONS);
  const milliseconds = performance.now() - start;
  for (const { connection } of senders) connection.close();
  return (SENDERS * TRANSACTIONS * 1000) / milliseconds;
}

/** Signs transactions in advance, because signing takes longer than mining them. */
async function sign(wallet: Wallet, chainId: number, firstNonce: number): Promise<string[]> {
  const signed: string[] = [];
  for (let i = 0; i < WARM_UP_TRANSACTIONS + TRANSACTIONS; i++) {
    const own = { nonce: firstNonce + i, to: RECEIVER, value: 1n };
    signed.push(
      await wallet.signTransaction({ ...own, type: 0, chainId, gasLimit: 21_000n, gasPrice: BigInt(GAS_PRICE) }),
    );
  }
  return signed;
}

/** Returns the milliseconds of the work around each test of a suite with fixtures. */
async function snapshots(connection: Connection, send: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < REVERTS; i++) {
    const id = await connection.ask("evm_snapshot");
    await send();
    await revert(connection, id);
  }
  return (performance.now() - start) / REVERTS;
}

/** Returns the milliseconds of a revert and of the next request, the median of several. */
async function longRevert(connection: Connection, blocks: number, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const id = await connection.ask("evm_snapshot");
    for (let block = 0; block < blocks; block++) await connection.ask("evm_mine");
    const start = performance.now();
    await revert(connection, id);
    await connection.ask("eth_blockNumber");
    times.push(performance.now() - start);
  }
  return median(times);
}

async function revert(connection: Connection, id: unknown): Promise<void> {
  if ((await connection.ask("evm_revert", id)) !== true) throw new Error(`snapshot ${id} is unknown`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
