import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atDepth } from "@cambium/test-utils/depth";
import { startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import type { Browser, Page } from "playwright-core";
import { type Frame, writeAnimation } from "./dashboard/animation.js";
import { findChromium, openBrowser } from "./dashboard/browser.js";
import { checkPage, LOOKS, withPage } from "./dashboard/page-check.js";
import {
  type DeployedWorkshop,
  deployWorkshop,
  LEDGER_ARTIFACT,
  WORKSHOP_ABI,
  WORKSHOP_ARTIFACT,
  WORKSHOP_FILE,
} from "./dashboard/workshop.js";
import { type Dev, startDev } from "./dev-process.js";

/** Size of the animation in pixels. */
const SMALL = { width: 1000, height: 640 };
const PICTURES = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

describe("the page of a contract", function () {
  this.timeout(600_000);
  let folder: string;
  let browser: Browser;
  let dev: Dev;
  let workshop: DeployedWorkshop;

  before(async function () {
    const program = findChromium() ?? this.skip();
    folder = mkdtempSync(join(tmpdir(), "cambium-contract-page-"));
    dev = await startDev("--abi", WORKSHOP_FILE);
    workshop = await deployWorkshop(dev.rpc);
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await dev?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const open = async (page: Page, address = workshop.address, url = dev.url) => {
    await page.goto(`${url}/dashboard/#/address/${address}`);
    await page.getByRole("heading", { name: "Contract", exact: true }).waitFor();
  };
  const form = (page: Page, name: string) =>
    page.locator("details.function", { has: page.locator(`summary strong:text-is("${name}")`) });

  for (const look of LOOKS.slice(0, atDepth(2, 4))) {
    it(`has forms for its functions, ${look.colorScheme} and ${look.viewport!.width} pixels wide`, async () => {
      await withPage(browser, look, async (page) => {
        await open(page);
        await page.getByRole("heading", { name: "Write Workshop" }).waitFor();
        await form(page, "order").locator("summary").first().click();
        await form(page, "order").getByRole("button", { name: "Add" }).click();
        await checkPage(page, "the form");
      });
    });
  }

  it("reads values by itself, and with parameters at any block", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page);
      const line = page.locator(".value-line", { hasText: "name" });
      await line.getByText("North").waitFor();
      const paid = form(page, "paid");
      await paid.locator("summary").click();
      await paid.getByLabel("address").fill("nothing");
      await paid.getByRole("button", { name: "Call" }).click();
      await paid.getByText("expected an address").waitFor();
      await paid.getByLabel("address").fill((await dev.rpc.call("eth_accounts"))[0]);
      await paid.getByRole("button", { name: "Call" }).click();
      await paid.locator(".outcome").getByText("0", { exact: true }).waitFor();
      await page.getByLabel("at block").fill("0");
      await page
        .getByText("without code")
        .or(page.locator(".value-line .notice.bad"))
        .or(page.locator(".value-line pre"))
        .first()
        .waitFor();
    });
  });

  it("writes from an account of the node: structs, lists, units and times", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page);
      const order = form(page, "order");
      await order.locator("summary").first().click();
      await order.getByLabel("item").fill("chair");
      await order.getByRole("button", { name: "Now" }).click();
      await order.getByRole("button", { name: "Add" }).click();
      await order.getByRole("button", { name: "Add" }).click();
      await order.getByLabel("parts[0]", { exact: false }).first().fill("40");
      await order.getByLabel("parts[1]", { exact: false }).first().fill("2");
      await order.getByLabel("coins to send", { exact: false }).first().fill("1.5 ether");
      await order.getByRole("button", { name: "Try without sending" }).click();
      await order.locator(".outcome").getByText("42", { exact: true }).waitFor();
      await order.getByRole("button", { name: "Send", exact: true }).click();
      const outcome = order.locator(".outcome", { hasText: "Success" });
      await outcome.waitFor();
      // The return value, the events of both contracts, and a link.
      assert.match(await outcome.innerText(), /gas[\s\S]*Returned[\s\S]*42[\s\S]*Noted[\s\S]*Ordered[\s\S]*chair/);
      await outcome.getByRole("link").first().click();
      await page.getByRole("heading", { name: "Calls" }).waitFor();
      // An inner call, by the artifact of the other contract.
      await page.getByRole("table", { name: "Calls" }).getByText("note", { exact: true }).waitFor();
      await page.goBack();
      await form(page, "last")
        .or(page.locator(".value-line", { hasText: "chair" }))
        .first()
        .waitFor();
      assert.equal(await dev.rpc.call("eth_getBalance", workshop.address, "latest"), "0x14d1120d7b160000");
    });
  });

  it("lists the transactions of an account, and the calls that reached it", async () => {
    await withPage(browser, {}, async (page) => {
      await workshop.send("order", [{ item: "stool", due: 1n, parts: [3n] }]);
      await open(page);
      const table = page.getByRole("table", { name: "Transactions" });
      await table.getByText("order", { exact: true }).first().waitFor();
      const rows = (await table.getByRole("row").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
      assert.match(rows[1]!, / order 0xf39Fd6…\w+ Workshop 0 Success/);
      assert.match(rows.at(-1)!, / creation /);
      // Only inner calls reached the other contract.
      await page.locator(".value-line", { hasText: "ledger" }).getByRole("link").click();
      await table.getByText("inner call").first().waitFor();
      await table.getByText("note", { exact: false }).first().waitFor();
    });
  });

  it("says why a transaction fails, in the words of the contract that it calls", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page);
      const order = form(page, "order");
      await order.locator("summary").first().click();
      await order.getByLabel("due").fill("1");
      await order.getByRole("button", { name: "Add" }).click();
      await order.getByLabel("parts[0]", { exact: false }).first().fill("420");
      await order.getByRole("button", { name: "Send", exact: true }).click();
      const alert = order.getByRole("alert");
      await alert.waitFor();
      assert.match(await alert.innerText(), /TooMuch\s+amount\s+420\s+limit\s+100/);
    });
  });

  /** `npm run pictures` */
  const picture = process.env.PICTURES === undefined ? () => undefined : it;
  picture("is pictured", async () => {
    const shown = await startDev("--abi", WORKSHOP_FILE);
    try {
      const { address, send } = await deployWorkshop(shown.rpc);
      const hash = await send("order", [{ item: "table", due: 1_800_000_000n, parts: [7n] }]);
      await assert.rejects(send("order", [{ item: "desk", due: 1_800_000_000n, parts: [420n] }]));
      await withPage(browser, { ...LOOKS[0], reducedMotion: "reduce" }, async (page) => {
        /** Takes a picture from a heading on. */
        const take = async (name: string, heading: string) => {
          await page.evaluate("scrollTo(0, 0)");
          const { y } = (await page.getByRole("heading", { name: heading, exact: true }).boundingBox())!;
          const clip = { x: 0, y: Math.max(y - 80, 0), ...LOOKS[0]!.viewport! };
          await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: "disabled", fullPage: true, clip });
        };
        await page.goto(`${shown.url}/dashboard/`);
        await page.getByText("TooMuch(420, 100)").waitFor();
        await take("development", "Overview");
        await page.goto(`${shown.url}/dashboard/#/transaction/${hash}`);
        await page.getByText("orders[0].due").waitFor();
        await take("debugger", "Calls");
      });
      await withPage(browser, { ...LOOKS[0], viewport: SMALL, reducedMotion: "reduce" }, async (page) => {
        const frames: Frame[] = [];
        const show = async (delay: number, ...names: string[]) => {
          for (const name of names) await form(page, name).scrollIntoViewIfNeeded();
          frames.push({ png: await page.screenshot({ animations: "disabled" }), delay });
        };
        await open(page, address, shown.url);
        const order = form(page, "order");
        await page.getByRole("heading", { name: "Write Workshop" }).scrollIntoViewIfNeeded();
        await show(1_500);
        await order.locator("summary").first().click();
        await show(1_000, "order");
        await order.getByLabel("item").fill("chair");
        await order.getByRole("button", { name: "Now" }).click();
        await order.getByRole("button", { name: "Add" }).click();
        for (const part of ["420", "42"]) {
          await order.getByLabel("parts[0]", { exact: false }).first().fill(part);
          await show(1_500, "order");
          await order.getByRole("button", { name: "Send", exact: true }).click();
          const outcome = order.locator(".outcome, [role=alert]");
          await outcome.filter({ hasText: part === "42" ? "Success" : "TooMuch" }).waitFor();
          await outcome.scrollIntoViewIfNeeded();
          await show(3_000);
        }
        writeAnimation(join(PICTURES, "form.gif"), frames);
      });
    } finally {
      await shown.stop();
    }
  });

  it("takes an ABI that is dropped or chosen, and keeps it in the node for the session", async () => {
    const other = await startDev();
    try {
      const { address } = await deployWorkshop(other.rpc);
      const second = await deployWorkshop(other.rpc, 7n);
      await withPage(browser, {}, async (page) => {
        await open(page, address, other.url);
        const box = page.locator(".drop");
        await box.waitFor();
        const wrong = join(folder, "wrong.json");
        writeFileSync(wrong, "{}");
        await box.locator("input[type=file]").setInputFiles(wrong);
        await box.getByText("This has no ABI").waitFor();
        const transfer = await page.evaluateHandle(
          `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(
            JSON.stringify(WORKSHOP_ARTIFACT),
          )}], "Workshop.json")); return data; })()`,
        );
        await box.dispatchEvent("drop", { dataTransfer: transfer });
        await page.getByRole("heading", { name: "Write Workshop" }).waitFor();
      });
      // Another browser shows the artifact, also for the same code at another address.
      await withPage(browser, {}, async (page) => {
        await open(page, second.address, other.url);
        await page.getByRole("heading", { name: "Write Workshop" }).waitFor();
      });
      const [name] = await other.rpc.call("dev_findArtifacts", [address]);
      assert.equal(name.name, "Workshop");
    } finally {
      await other.stop();
    }
  });

  it("takes all contracts of a file with several, and asks for a token without failed requests", async () => {
    const other = await startDev();
    try {
      const { address } = await deployWorkshop(other.rpc);
      const data = LEDGER_ARTIFACT!.bytecode;
      const [from] = await other.rpc.call("eth_accounts");
      const creation = await other.rpc.call("eth_sendTransaction", { from, data, gas: "0x4c4b40" });
      const ledger = (await other.rpc.call("eth_getTransactionReceipt", creation)).contractAddress;
      await withPage(browser, {}, async (page) => {
        await open(page, address, other.url);
        await page.locator(".drop input[type=file]").setInputFiles(WORKSHOP_FILE);
        await page.getByRole("heading", { name: "Write Workshop" }).waitFor();
        await open(page, ledger, other.url);
        await page.getByRole("heading", { name: "Write Ledger" }).waitFor();
      });
      await assert.rejects(other.rpc.call("eth_call", { to: address, data: "0x01020304" }), /revert/);
      await until(async () => /✗.*0x01020304/.test(other.output()));
      // Neither contract is a token.
      assert.equal(other.output().match(/✗/g)?.length, 1, other.output());
    } finally {
      await other.stop();
    }
  });

  it("is read only where no developer's node signs; the browser keeps the ABI there", async () => {
    const node = await startNode("--network", "local", "--mine", "--data-dir", join(folder, "local"));
    try {
      const rpc = new RpcClient(node.url);
      const { address } = await deployWorkshop(rpc);
      await withPage(browser, {}, async (page) => {
        await open(page, address, node.url);
        await page.getByText("This browser keeps them").waitFor();
        await page.getByText("or paste it").click();
        await page.getByLabel("ABI or artifact, as JSON").fill(JSON.stringify(WORKSHOP_ABI));
        await page.getByRole("button", { name: "Use it" }).click();
        await page.locator(".value-line", { hasText: "North" }).waitFor();
        assert.equal(await page.getByRole("heading", { name: /^Write/ }).count(), 0);
        await page.reload();
        await page.locator(".value-line", { hasText: "North" }).waitFor();
      });
      await assert.rejects(rpc.call("dev_findArtifacts", [address]), /dev_findArtifacts/);
      await assert.rejects(rpc.call("dev_addArtifact", LEDGER_ARTIFACT, address), /dev_addArtifact/);
    } finally {
      await node.stop();
    }
  });

  it("writes through a wallet of the browser", async () => {
    const node = await startNode("--network", "local", "--mine", "--data-dir", join(folder, "wallet"));
    try {
      const rpc = new RpcClient(node.url);
      const { address } = await deployWorkshop(rpc);
      await withPage(browser, {}, async (page) => {
        // A wallet that signs with the accounts of the node.
        await page.addInitScript(`window.ethereum = {
          request: async ({ method, params = [] }) => {
            const name = method === "eth_requestAccounts" ? "eth_accounts" : method;
            const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params });
            const answer = await fetch("/", { method: "POST", headers: { "content-type": "application/json" }, body });
            const { result, error } = await answer.json();
            if (error) throw new Error(error.message);
            return result;
          },
        }`);
        await page.addInitScript(
          `localStorage.setItem("cambium-artifacts", ${JSON.stringify(
            JSON.stringify([{ artifact: { ...stored(WORKSHOP_ARTIFACT!) }, codes: [] }]),
          )})`,
        );
        await open(page, address, node.url);
        await page.getByRole("heading", { name: "Write Workshop" }).waitFor();
        const close = form(page, "close");
        await close.locator("summary").click();
        await close.getByLabel("since").fill("7");
        await close.getByRole("button", { name: "Send", exact: true }).click();
        await close.getByText("Success").waitFor();
        await page.locator(".value-line", { hasText: "updated" }).getByText("7", { exact: true }).waitFor();
      });
    } finally {
      await node.stop();
    }
  });
});

/** Returns an artifact in the form in which the browser keeps it. */
function stored({ contractName, sourceName, abi, bytecode, deployedBytecode }: NonNullable<typeof WORKSHOP_ARTIFACT>) {
  const [creation, runtime] = [bytecode, deployedBytecode].map((code) => code.slice(2));
  return { name: contractName, source: sourceName, abi, creation, runtime, gaps: [] };
}
