import assert from "node:assert/strict";
import { atDepth } from "@cambium/test-utils/depth";
import { until } from "@cambium/test-utils/rpc-client";
import type { Browser, Page } from "playwright-core";
import type { Hex } from "viem";
import { findChromium, openBrowser } from "./dashboard/browser.js";
import { checkPage, LOOKS, withPage } from "./dashboard/page-check.js";
import { type DeployedWorkshop, deployWorkshop, WORKSHOP_FILE } from "./dashboard/workshop.js";
import { type Dev, startDev } from "./dev-process.js";

describe("the debugger on the page of a transaction", function () {
  this.timeout(600_000);
  let browser: Browser;
  let dev: Dev;
  let workshop: DeployedWorkshop;
  let ordered: Hex;
  let failed: Hex;
  let notCreated: Hex;
  let account: string;

  before(async function () {
    const program = findChromium() ?? this.skip();
    dev = await startDev("--abi", WORKSHOP_FILE);
    [account] = await dev.rpc.call("eth_accounts");
    workshop = await deployWorkshop(dev.rpc);
    ordered = await workshop.send("order", [{ item: "chair", due: 1n, parts: [40n, 2n] }], { value: "0x7" });
    await assert.rejects(workshop.send("order", [{ item: "chair", due: 1n, parts: [420n] }]));
    const latest = async (): Promise<Hex> =>
      (await dev.rpc.call("eth_getBlockByNumber", "latest", false)).transactions[0];
    failed = await latest();
    await assert.rejects(deployWorkshop(dev.rpc, 0n), /NoLimit\("North"\)/);
    notCreated = await latest();
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await dev?.stop();
  });

  const open = async (page: Page, hash: Hex) => {
    await page.goto(`${dev.url}/dashboard/#/transaction/${hash}`);
    await page.getByRole("table", { name: "Calls" }).waitFor();
    await page.getByRole("table", { name: "Calls" }).getByText("Workshop").first().waitFor();
  };

  for (const look of LOOKS.slice(0, atDepth(2, 4))) {
    it(`shows calls, gas, storage and steps, ${look.colorScheme} and ${look.viewport!.width} pixels wide`, async () => {
      await withPage(browser, look, async (page) => {
        await open(page, failed);
        await page.getByText("revert TooMuch(amount, limit)").waitFor();
        await checkPage(page, "a failed transaction");
        await open(page, ordered);
        await page.getByRole("button", { name: "Show the steps" }).click();
        await page.getByRole("button", { name: "Stack and memory of step 3", exact: true }).click();
        await page.getByText("Stack, top first").waitFor();
        await checkPage(page, "the debugger");
      });
    });
  }

  it("decodes what calls were given and returned, and the arguments of constructors", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page, ordered);
      const rows = page.getByRole("table", { name: "Calls" }).getByRole("row");
      const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
      assert.match(texts[1]!, /CALL Workshop order\(\{item: chair, due: 1, parts: \[40, 2\]\}\) .* → 42/);
      assert.match(texts[2]!, /CALL Ledger note\(42, 100\) .* → 1/);
      await page.getByRole("img", { name: "Gas by call: 2 calls" }).waitFor();
      await open(page, workshop.creation);
      const creation = page.getByRole("table", { name: "Calls" });
      await creation.getByText("constructor").first().waitFor();
      assert.match((await creation.innerText()).replace(/\s+/g, " "), /CREATE Workshop constructor\(North, 100\)/);
    });
  });

  it("names the storage that changed", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page, ordered);
      const storage = page.getByRole("table", { name: `Storage of ${workshop.address}` });
      await storage.getByText("orders[0].due").waitFor();
      const text = (await storage.innerText()).replace(/\s+/g, " ");
      assert.match(text, /orders\[0\]\.item string "" "chair"/);
      assert.match(text, new RegExp(`paid\\[${account!.slice(0, 8)}…${account!.slice(-4)}\\] uint256 0 7`));
      await page.getByRole("heading", { name: "Ledger" }).waitFor();
    });
  });

  it("shows the line at which a transaction failed, in the contract where it did", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page, failed);
      const source = page.locator("figure.source");
      await source.waitFor();
      assert.match(await source.innerText(), /Failed in Ledger, contracts\/Workshop\.sol, line 13/);
      assert.match(await source.locator(".here").innerText(), /revert TooMuch/);
    });
  });

  it("decodes a constructor that failed, and shows its line", async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${dev.url}/dashboard/#/transaction/${notCreated}`);
      const source = page.locator("figure.source");
      await source.waitFor();
      assert.match(await source.innerText(), /Failed in Workshop, contracts\/Workshop\.sol, line 43/);
      assert.match(await source.locator(".here").innerText(), /revert NoLimit/);
      const calls = page.getByRole("table", { name: "Calls" });
      assert.match(
        (await calls.innerText()).replace(/\s+/g, " "),
        /CREATE .* constructor\(North, 0\) .* NoLimit\(North\)/,
      );
      const status = page.locator(".reason");
      await status.getByText("NoLimit(North)").waitFor();
    });
  });

  it("pages through a million steps", async () => {
    const long = await workshop.send("spin", [30_000n], { gas: "0x989680" });
    await withPage(browser, {}, async (page) => {
      await open(page, long);
      await page.getByRole("button", { name: "Show the steps" }).click();
      const steps = page.getByRole("table", { name: "Steps" });
      await steps.waitFor();
      assert.equal(await steps.getByRole("row").count(), 51);
      const position = await page.locator(".steps-nav .note").innerText();
      const count = Number(position.split(" of ")[1]!.replaceAll(",", ""));
      assert.ok(count > 1_000_000, position);
      await page.getByRole("button", { name: "Last" }).click();
      await until(async () => /STOP/.test(await steps.innerText()));
      await page.getByLabel("Step", { exact: true }).fill("500,000");
      await page.getByRole("button", { name: "Go" }).click();
      await steps.getByText("500,000", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Stack and memory of step 500000", exact: true }).click();
      await page
        .getByRole("region", { name: "State before step 500000" })
        .getByText("0x", { exact: false })
        .first()
        .waitFor();
      const memory = await page.evaluate<number>("performance.memory?.usedJSHeapSize ?? 0");
      assert.ok(memory < 100_000_000, `${memory} bytes`);
    });
  });
});
