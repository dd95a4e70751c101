import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNode } from "@cambium/test-utils/node-cli";
import { type Json, until } from "@cambium/test-utils/rpc-client";
import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { findChromium, openBrowser } from "./dashboard/browser.js";
import { open, withPage } from "./dashboard/page.js";
import { tokenCode, transferData } from "./dashboard/token.js";
import { type Dev, startDev } from "./dev-process.js";

/** Sizes and colours in which a page must be usable. The last one is a phone's. */
const LOOKS = [1440, 390].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ viewport: { width, height: 900 }, colorScheme })),
);

describe("what the dashboard says of the node and its chain", function () {
  this.timeout(300_000);
  let folder: string;
  let browser: Browser;

  before(async function () {
    const program = findChromium() ?? this.skip();
    folder = mkdtempSync(join(tmpdir(), "cambium-dashboard-"));
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it("is that it has no peers, and what to check", async () => {
    const flags = ["--network", "main", "--p2p.static", "--p2p.port", "0", "--data-dir", join(folder, "main")];
    const node = await startNode(...flags);
    try {
      for (const look of LOOKS) {
        await withPage(browser, look, async (page) => {
          await open(page, node.url, "", "no boot nodes to find some");
          const status = page.locator("header").getByRole("status");
          assert.equal(await status.innerText(), "No peers");
          await page.getByText("the genesis block").waitFor();
          assert.equal(await page.getByText("Synchronised").count(), 0);
          await assertAccessible(page);
        });
      }
    } finally {
      await node.stop();
    }
  });

  it("is since when the node has not answered", async () => {
    const node = await startNode("--network", "local", "--data-dir", join(folder, "killed"));
    let isStopped = false;
    const use = async (page: Page) => {
      await open(page, node.url, "", "Latest blocks");
      await page.locator("header").getByText("Local chain").waitFor();
      await node.stop();
      isStopped = true;
      await page.getByText(/has not answered since \d\d:\d\d:\d\d/).waitFor();
      await page.locator("header").getByText("Node does not answer").waitFor();
      const filter = await page.evaluate("getComputedStyle(document.querySelector('main .figures')).filter");
      assert.equal(filter, "grayscale(1)");
    };
    try {
      await withPage(browser, {}, use, { mayFail: true });
    } finally {
      if (!isStopped) await node.stop();
    }
  });

  describe("on a chain of its own", () => {
    let dev: Dev;
    let accounts: string[];
    let token: string;

    before(async () => {
      dev = await startDev();
      accounts = await dev.rpc.call("eth_accounts");
      const data = tokenCode({ name: "New Token", symbol: "NEW", reason: "not allowed" });
      token = (await receiptOf(await send({ data }))).contractAddress;
    });

    after(() => dev?.stop());

    /** Sends a transaction that may fail, and returns its hash. */
    function send(request: object, from = accounts[0]!): Promise<string> {
      return dev.rpc.call("eth_sendTransaction", { from, gas: "0x200000", ...request }).catch(async () => {
        const { transactions } = await dev.rpc.call("eth_getBlockByNumber", "latest", false);
        return transactions[0];
      });
    }

    function receiptOf(hash: string): Promise<Json> {
      return dev.rpc.call("eth_getTransactionReceipt", hash);
    }

    it("tells why a transaction failed, with its time, fee, method and gas", async () => {
      const failed = await send({ to: token, data: "0x12345678" });
      await withPage(browser, {}, async (page) => {
        await open(page, dev.url, `transaction/${failed}`, "not allowed");
        const card = page.getByRole("region", { name: "Transaction", exact: true });
        const text = await card.innerText();
        for (const part of [/Failed/, /ago/, /RBTC/, /0x12345678/, /of 2,097,152/]) assert.match(text, part);
      });
    });

    it("tells a custom error's selector and data", async () => {
      // Code that reverts with 0xaabbccdd and a word.
      const code = "63aabbccdd60e01b600052602a60045260246000fd";
      const creation = `0x60${(code.length / 2).toString(16).padStart(2, "0")}80600b6000396000f3${code}`;
      const { contractAddress } = await receiptOf(await send({ data: creation }));
      const failed = await send({ to: contractAddress });
      await withPage(browser, {}, async (page) => {
        await open(page, dev.url, `transaction/${failed}`, "custom error");
        await page.getByText("0xaabbccdd").first().waitFor();
        await page.locator("pre", { hasText: "2a" }).first().waitFor();
      });
    });

    it("tells amounts in the token's unit", async () => {
      const hash = await send({ to: token, data: transferData(accounts[1]!, 12_340_000_000_000_000_000n) });
      const all = await send({ to: token, data: transferData(accounts[1]!, 2n ** 256n - 1n) });
      await withPage(browser, {}, async (page) => {
        await open(page, dev.url, `transaction/${hash}`, "12.34 NEW");
        await open(page, dev.url, `transaction/${all}`, "unlimited NEW");
      });
    });

    it("tells that there is no such page, block or transaction", async () => {
      await withPage(browser, LOOKS.at(-1)!, async (page) => {
        await open(page, dev.url, "nowhere", "There is no page “nowhere”");
        await open(page, dev.url, "block/abc", "“abc” is no block");
        await open(page, dev.url, "block/999999", "Its best block is");
        await open(page, dev.url, "transaction/0x12", "is no transaction");
        await assertAccessible(page);
      });
    });

    it("tells large blocks in pages of fifty transactions, and returns to the place that was left", async () => {
      await dev.rpc.call("evm_setAutomine", false);
      const requests = Array.from({ length: 120 }, (_, i) => ({
        from: accounts[i % 10],
        to: accounts[0],
        value: "0x1",
      }));
      for (const request of requests) await dev.rpc.call("eth_sendTransaction", request);
      await dev.rpc.call("evm_mine");
      await dev.rpc.call("evm_setAutomine", true);
      const { number } = await dev.rpc.call("eth_getBlockByNumber", "latest", false);
      await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
        await open(page, dev.url, `block/${Number(number)}`, "1 to 50 of 120");
        const links = page.getByRole("table", { name: "Transactions" }).locator("tbody a[href^='#/transaction']");
        await until(async () => (await links.count()) === 50);
        await page.getByRole("link", { name: "Next →" }).last().click();
        await page.getByText("51 to 100 of 120").first().waitFor();
        await until(async () => (await links.count()) === 50);
        await links.nth(40).scrollIntoViewIfNeeded();
        const left = await page.evaluate<number>("scrollY");
        assert.ok(left > 500, `${left}`);
        await links.nth(40).click();
        await page.locator("main").getByText("Fee").first().waitFor();
        assert.equal(await page.evaluate("scrollY"), 0);
        await page.goBack();
        await page.getByText("51 to 100 of 120").first().waitFor();
        await until(async () => (await page.evaluate("scrollY")) === left);
      });
    });

    it("asks again with red errors, and forgets the answer to another question", async () => {
      await withPage(browser, LOOKS.at(-1)!, async (page) => {
        await open(page, dev.url, "rpc/eth_sendTransaction", "Copy as curl");
        await until(async () => (await page.locator("#param-transaction").inputValue()).includes(accounts[0]!));
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByRole("link", { name: "the transaction" }).waitFor();
        await page.locator("#param-transaction").fill('{"from":"0x01"}');
        await page.getByRole("link", { name: "the transaction" }).waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Send" }).click();
        await page.locator("pre.bad", { hasText: "error" }).waitFor();
        await page.getByLabel("Filter").fill("nothing like it");
        await page.getByText("No method has").waitFor();
        const [form, methods] = await Promise.all(
          ["eth_sendTransaction", "Methods"].map((name) => page.getByRole("region", { name }).first().boundingBox()),
        );
        assert.ok(form!.y < methods!.y, "the form comes first on a phone");
        await assertAccessible(page);
      });
    });
  });
});

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
    [],
  );
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(width <= (await page.evaluate<number>("innerWidth")), `${width} pixels`);
}
