import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atDepth } from "@cambium/test-utils/depth";
import { startNode } from "@cambium/test-utils/node-cli";
import { until } from "@cambium/test-utils/rpc-client";
import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findChromium, openBrowser } from "./dashboard/browser.js";
import { open as openRoute, PATIENCE, withPage as usePage } from "./dashboard/page.js";
import { HTML, openScene, type Scene } from "./dashboard/scene.js";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const PICTURES = join(REPOSITORY, "docs/pictures");
const MAX_PICTURES = 2_000_000;
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LOOKS = [
  { viewport: WIDE, colorScheme: "light" },
  { viewport: PHONE, colorScheme: "dark" },
  { viewport: WIDE, colorScheme: "dark" },
  { viewport: PHONE, colorScheme: "light" },
] as const;

/** Routes by the names of their pictures, with text of the complete page. */
function routes({ block, transfer, token }: Scene): Record<string, readonly [route: string, text: string]> {
  return {
    overview: ["", "Latest blocks"],
    blocks: ["blocks", "Hash"],
    block: [`block/${block}`, "Merged mining"],
    transaction: [`transaction/${transfer}`, "0x18160ddd"],
    address: [`address/${token}`, "Example Token"],
    pool: ["pool", "Queued transactions"],
    peers: ["peers", "Punishments"],
    mining: ["mining", "Worth interrupting miners"],
    bridge: ["bridge", "release_request_received"],
    rpc: ["rpc/eth_getBalance", "Copy as curl"],
  };
}

describe("the dashboard in a browser", function () {
  this.timeout(300_000);
  let folder: string;
  let scene: Scene;
  let browser: Browser;

  before(async function () {
    const program = findChromium() ?? this.skip();
    folder = mkdtempSync(join(tmpdir(), "cambium-dashboard-"));
    scene = await openScene(folder);
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await scene?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const withPage = (look: BrowserContextOptions, use: (page: Page) => Promise<void>) => usePage(browser, look, use);
  const open = (page: Page, route: string, text: string, url = scene.url) => openRoute(page, url, route, text);

  const height = async (page: Page) => {
    const text = await page.locator(".height .number").innerText();
    return Number(text.replace(/\D/g, "") || Number.NaN);
  };

  for (const look of LOOKS.slice(0, atDepth(2, 4))) {
    it(`shows every page completely, ${look.colorScheme} and ${look.viewport.width} pixels wide`, async () => {
      await withPage(look, async (page) => {
        for (const [name, [route, text]] of Object.entries(routes(scene))) {
          await open(page, route, text);
          const width = await page.evaluate<number>("document.documentElement.scrollWidth");
          assert.ok(width <= look.viewport.width, `${name} is ${width} pixels wide`);
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate<AxeResults>("axe.run()");
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
          assert.deepEqual(found, [], name);
        }
      });
    });
  }

  it("follows the chain", async () => {
    await withPage({}, async (page) => {
      await open(page, "", "Latest blocks");
      await page.getByText("notified of new blocks").waitFor();
      const before = await height(page);
      await scene.rpc.call("evm_mine");
      await until(async () => (await height(page)) === before + 1);
      await page
        .locator("main td a", { hasText: String(before + 1) })
        .first()
        .waitFor();
      assert.equal(await page.locator(".height .number").getAttribute("aria-live"), "polite");
    });
  });

  it("finds blocks, transactions and addresses", async () => {
    await withPage({}, async (page) => {
      await open(page, "", "Latest blocks");
      const search = async (text: string, route: string) => {
        await page.getByRole("searchbox").first().fill(text);
        await page.keyboard.press("Enter");
        await page.waitForURL(`**/dashboard/#/${route}`);
        // The heading gets the focus a moment later.
        await page.locator("h1:focus").waitFor();
      };
      const { hash } = await scene.rpc.call("eth_getBlockByNumber", "0x2", false);
      await search("2", "block/2");
      await search(hash, `block/${hash}`);
      await search(scene.transfer, `transaction/${scene.transfer}`);
      await search(scene.token.slice(2).toUpperCase(), `address/${scene.token}`);
      await page.getByRole("searchbox").first().fill("what");
      await page.keyboard.press("Enter");
      await page.getByText("Enter a block number").waitFor();
    });
  });

  it("reads storage of a contract", async () => {
    await withPage({}, async (page) => {
      await open(page, `address/${scene.token}`, "Example Token");
      await page.getByRole("textbox", { name: "Slots" }).fill("0, 7-8");
      await page.getByRole("button", { name: "Read" }).click();
      const rows = page.getByRole("table", { name: "Storage slots" }).getByRole("row");
      await until(async () => (await rows.count()) === 4);
      assert.match(await rows.nth(1).innerText(), /\d(,000){6}/);
      await page.getByRole("textbox", { name: "Slots" }).fill("many");
      await page.getByRole("button", { name: "Read" }).click();
      await page.getByText('"many" is no slot').waitFor();
    });
  });

  it("calls any method, and copies the call", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage({ permissions }, async (page) => {
      await open(page, "rpc/eth_getBlockTransactionCountByNumber", "Copy as curl");
      await page.locator("#param-block").fill("0x1");
      await page.getByRole("button", { name: "Send" }).click();
      const response = page.getByRole("region", { name: "Response" }).locator("pre");
      await response.waitFor();
      assert.deepEqual(JSON.parse(await response.innerText()), { jsonrpc: "2.0", id: 1, result: "0x2" });
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByText("Copied").waitFor();
      const request = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByNumber","params":["0x1"]}';
      const command = `curl -s -H 'Content-Type: application/json' --data '${request}' '${scene.url}/'`;
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), command);

      await page.getByLabel("Filter").fill("getlogs");
      await page.getByRole("link", { name: "eth_getLogs" }).click();
      await page.locator("#param-filter").fill("{");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("filter is not JSON").waitFor();
    });
  });

  it("is used by keyboard alone", async () => {
    await withPage({}, async (page) => {
      await open(page, "", "Latest blocks");
      const focused = () => page.evaluate("document.activeElement.textContent");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "Skip to content");
      await page.keyboard.press("Enter");
      assert.equal(await focused(), "Overview");
      await page.getByRole("link", { name: "Overview", exact: true }).focus();
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "Blocks");
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
      assert.equal(outline, "solid");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/dashboard/#/blocks");
      // Screen readers read the heading of the page.
      await until(async () => (await focused()) === "Blocks" && (await page.title()) === "Blocks · Cambium");
      assert.equal(await page.evaluate("document.activeElement.tagName"), "H1");
    });
  });

  it("keeps the colours that are chosen", async () => {
    await withPage({ colorScheme: "light" }, async (page) => {
      const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
      await open(page, "", "Latest blocks");
      const light = await background();
      await page.getByLabel("Colours").selectOption("dark");
      const dark = await background();
      assert.notEqual(dark, light);
      await page.reload();
      assert.equal(await background(), dark);
      await page.getByLabel("Colours").selectOption("system");
      assert.equal(await background(), light);
    });
  });

  it("shows texts of the chain and of peers as text", async () => {
    await withPage({}, async (page) => {
      await page.route(`${scene.url}/`, async (route) => {
        const response = await route.fetch();
        // A peer may claim any name.
        const body = (await response.text()).replaceAll('"Cambium/0.1.0"', JSON.stringify(HTML));
        await route.fulfill({ response, body });
      });
      for (const [route, title] of [
        [`address/${scene.hostile}`, "Address"],
        [`transaction/${scene.failed}`, "Transaction"],
        ["peers", "Peers"],
        ["address/%3Cimg%20src%3Dx%3E", "Address"],
      ] as const) {
        await open(page, route, "<img src=x");
        // The previous page may have the same text, and the title follows the content.
        await until(async () => (await page.title()) === `${title} · Cambium`);
        assert.equal(await page.locator("img, main script").count(), 0);
      }
    });
  });

  it("says which flags offer what a node does not, and asks regularly where there is no WebSocket", async () => {
    const config = join(folder, "rpc.json");
    const disabled = { enabled: false };
    writeFileSync(
      config,
      JSON.stringify({ modules: { debug: disabled, txpool: disabled, sco: disabled }, timeout: 0 }),
    );
    const flags = ["--network", "local", "--no-ws", "--rpc.config", config, "--data-dir", join(folder, "small")];
    const node = await startNode(...flags);
    const failures: string[] = [];
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on("pageerror", ({ message }) => failures.push(message));
      await open(page, "", "needs --rpc.modules debug", node.url);
      await page.getByText("asks for new blocks").waitFor();
      await fetch(node.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] }),
      });
      await until(async () => (await height(page)) === 1);
      await open(page, "pool", "--rpc.modules txpool", node.url);
      await open(page, "peers", "--rpc.modules sco", node.url);
      await open(page, "peers", "--p2p --rpc.modules admin,sco", node.url);
      const { transactions } = await blockOf(node.url);
      await open(page, `transaction/${transactions[0]}`, "--rpc.modules debug", node.url);
      await context.close();
    } finally {
      await node.stop();
    }
    assert.deepEqual(failures, []);
  });

  it("works with API keys, which it asks for", async () => {
    const keys = join(folder, "keys");
    writeFileSync(keys, "open-sesame\n");
    const flags = ["--network", "local", "--rpc.keys", keys, "--dashboard", "--data-dir", join(folder, "keyed")];
    const node = await startNode(...flags);
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      await open(page, "", "wants an API key", node.url);
      await page.getByLabel("API key").fill("open-barley");
      await page.getByRole("button", { name: "Use key" }).click();
      await page.getByText("does not accept this key").waitFor();
      await page.getByLabel("API key").fill("open-sesame");
      await page.getByRole("button", { name: "Use key" }).click();
      await page.getByText("Latest blocks").waitFor();
      await context.close();
    } finally {
      await node.stop();
    }
  });

  /** `npm run pictures` */
  const picture = process.env.PICTURES === undefined ? () => undefined : it;
  picture("is pictured", async () => {
    mkdirSync(PICTURES, { recursive: true });
    const take = (look: BrowserContextOptions, end: string, names: readonly string[]) =>
      withPage({ ...look, reducedMotion: "reduce" }, async (page) => {
        for (const name of names) {
          const [route, text] = routes(scene)[name]!;
          await open(page, route, text);
          // The curves of the overview begin when the page is opened.
          if (name === "overview") await page.getByRole("img", { name: /^Memory, 4 samples/ }).waitFor();
          await page.screenshot({ path: join(PICTURES, `${name}${end}.png`), animations: "disabled" });
        }
      });
    await take(LOOKS[0], "", Object.keys(routes(scene)));
    await take(LOOKS[2], "-dark", ["overview"]);
    await take(LOOKS[1], "-phone", ["overview"]);
  });
});

describe("the pictures of the dashboard", () => {
  it("are small, and shown in the documentation", () => {
    const names = readdirSync(PICTURES);
    assert.ok(names.length >= 12, names.join(" "));
    const size = names.reduce((sum, name) => sum + statSync(join(PICTURES, name)).size, 0);
    assert.ok(size < MAX_PICTURES, `${size} bytes`);
    const guide = readFileSync(join(REPOSITORY, "docs/dashboard.md"), "utf8");
    for (const name of names) assert.ok(guide.includes(`](pictures/${name})`), name);
    assert.match(readFileSync(join(REPOSITORY, "README.md"), "utf8"), /!\[[^\]]+\]\(docs\/pictures\/form\.gif\)/);
  });
});

/** The first mined block of a node. */
async function blockOf(url: string): Promise<{ transactions: string[] }> {
  const request = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x1", false] };
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
  return ((await response.json()) as { result: { transactions: string[] } }).result;
}
