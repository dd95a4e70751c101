import type { Browser, Page } from "playwright-core";
import { findChromium, openBrowser } from "../e2e/dashboard/browser.js";
import { type Dev, startDev } from "../e2e/dev-process.js";

const TRANSACTIONS = 10_000;
const BLOCKS_PER_SECOND = 40;
const MINUTES = Number(process.env.MINUTES ?? 5);
/** Number of measurements of the heap, at equal intervals. */
const SAMPLES = 12;
const SENDING_AT_ONCE = 50;

/**
 * Measures the page of a development chain in Chromium: the milliseconds until a block of 10,000 transactions is shown,
 * and the heap of the overview, without garbage, while 40 blocks a second arrive for `MINUTES`.
 */
export async function run(print: (name: string, value: number, unit: string) => void): Promise<void> {
  const program = findChromium();
  if (program === undefined) throw new Error("there is no Chromium: CAMBIUM_CHROMIUM is the path of one");
  const dev = await startDev("--quiet", "--gas-limit", String(25_000 * TRANSACTIONS));
  const browser = await openBrowser(program);
  try {
    const number = await mineLargeBlock(dev);
    print("a block of 10,000 transactions", await showBlock(browser, dev, number), "ms");
    await follow(browser, dev, print);
  } finally {
    await browser.close();
    await dev.stop();
  }
}

/** Resolves to the number of a block with all the transactions. */
async function mineLargeBlock({ rpc }: Dev): Promise<number> {
  const accounts: string[] = await rpc.call("eth_accounts");
  await rpc.call("evm_setAutomine", false);
  for (let sent = 0; sent < TRANSACTIONS; sent += SENDING_AT_ONCE) {
    const batch = Array.from({ length: SENDING_AT_ONCE }, (_, i) => ({
      from: accounts[(sent + i) % accounts.length],
      to: `0x${(sent + i + 1).toString(16).padStart(40, "1")}`,
      value: "0x1",
      gas: "0x5208",
    }));
    await Promise.all(batch.map((transaction) => rpc.call("eth_sendTransaction", transaction)));
  }
  await rpc.call("evm_mine");
  await rpc.call("evm_setAutomine", true);
  const { number, transactions } = await rpc.call("eth_getBlockByNumber", "latest", false);
  if (transactions.length < TRANSACTIONS) throw new Error(`the block took ${transactions.length} transactions`);
  return Number(number);
}

async function showBlock(browser: Browser, { url }: Dev, number: number): Promise<number> {
  const page = await browser.newPage();
  await page.goto(`${url}/dashboard/`);
  await page.locator("main").getByText("Accounts").first().waitFor();
  const start = performance.now();
  await page.goto(`${url}/dashboard/#/block/${number}`);
  await page.getByText("10,000").first().waitFor();
  await page.locator('main a[href^="#/transaction/"]').nth(49).waitFor();
  const milliseconds = performance.now() - start;
  await page.close();
  return milliseconds;
}

async function follow(browser: Browser, dev: Dev, print: (name: string, value: number, unit: string) => void) {
  const page = await browser.newPage();
  await page.goto(`${dev.url}/dashboard/`);
  const start = performance.now();
  let blocks = 0;
  for (let sample = 1; sample <= SAMPLES; sample++) {
    const end = start + (sample * MINUTES * 60_000) / SAMPLES;
    while (performance.now() < end) {
      await dev.rpc.call("evm_mine");
      blocks++;
      const due = start + (blocks * 1000) / BLOCKS_PER_SECOND;
      if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    }
    print(`heap after ${blocks} blocks`, await heapOf(page), "MB");
  }
}

/** Megabytes in use after a collection of garbage. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1e6;
}
