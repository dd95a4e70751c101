import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { atDepth } from "@cambium/test-utils/depth";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { until } from "@cambium/test-utils/rpc-client";
import type { Browser, Page } from "playwright-core";
import { findChromium, openBrowser } from "./dashboard/browser.js";
import { checkPage, LOOKS, withPage } from "./dashboard/page-check.js";
import { type DeployedWorkshop, deployWorkshop, WORKSHOP_FILE } from "./dashboard/workshop.js";
import { type Dev, startDev } from "./dev-process.js";

const COIN = 10n ** 18n;
const STRANGER = "0x00000000000000000000000000000000000000aa";

describe("the overview of a development chain", function () {
  this.timeout(600_000);
  let browser: Browser;
  let dev: Dev;
  let workshop: DeployedWorkshop;
  let accounts: string[];

  before(async function () {
    const program = findChromium() ?? this.skip();
    dev = await startDev("--abi", WORKSHOP_FILE);
    accounts = await dev.rpc.call("eth_accounts");
    workshop = await deployWorkshop(dev.rpc);
    await workshop.send("order", [{ item: "chair", due: 1n, parts: [42n] }]);
    await assert.rejects(workshop.send("order", [{ item: "chair", due: 1n, parts: [420n] }]));
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await dev?.stop();
  });

  const open = async (page: Page) => {
    await page.goto(`${dev.url}/dashboard/`);
    await page.getByRole("table", { name: "Transactions" }).waitFor();
  };
  const height = async () => Number(await dev.rpc.call("eth_blockNumber"));
  const balance = async (address: string) => BigInt(await dev.rpc.call("eth_getBalance", address, "latest"));

  for (const look of LOOKS.slice(0, atDepth(2, 4))) {
    it(`has accounts, contracts and transactions, ${look.colorScheme} and ${look.viewport!.width} pixels wide`, async () => {
      await withPage(browser, look, async (page) => {
        await open(page);
        const contracts = page.getByRole("table", { name: "Contracts" });
        await contracts.getByText("Workshop").first().waitFor();
        // The constructor of the other contract created it.
        await contracts.getByText("Ledger").waitFor();
        const transactions = page.getByRole("table", { name: "Transactions" });
        await transactions.getByText("TooMuch(420, 100)").waitFor();
        assert.match((await transactions.getByRole("row").nth(1).innerText()).replace(/\s+/g, " "), /order .* Failed/);
        assert.match(
          (await transactions.getByRole("row").nth(3).innerText()).replace(/\s+/g, " "),
          /creation .* Success/,
        );
        assert.equal(await page.getByText("hash rate").count(), 0);
        await checkPage(page, "the overview");
      });
    });
  }

  it("copies keys, funds and impersonates accounts", async () => {
    await withPage(browser, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await open(page);
      await page.getByRole("button", { name: `Copy key of ${accounts[0]}` }).click();
      await page.getByText("Copied").waitFor();
      assert.equal(
        await page.evaluate("navigator.clipboard.readText()"),
        "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
      );
      const before = await balance(accounts[1]!);
      await page.getByRole("button", { name: `Fund 1,000 coins to ${accounts[1]}` }).click();
      await until(async () => (await balance(accounts[1]!)) === before + 1_000n * COIN);
      await page.getByLabel("Another account").fill("0x12");
      await page.getByRole("button", { name: "Impersonate" }).click();
      await page.getByText("Enter an address").waitFor();
      await page.getByLabel("Another account").fill(STRANGER);
      await page.getByLabel("Amount").fill("2.5 ether");
      await page.getByRole("button", { name: "Fund", exact: true }).click();
      await until(async () => (await balance(STRANGER)) === (5n * COIN) / 2n);
      await page.getByRole("button", { name: "Impersonate" }).click();
      await page.getByText("Impersonated").waitFor();
      assert.ok((await dev.rpc.call("eth_accounts")).includes(STRANGER));
      await page.getByRole("button", { name: `Stop impersonating ${STRANGER}` }).click();
      await page.getByText("Impersonated").waitFor({ state: "detached" });
      assert.ok(!(await dev.rpc.call("eth_accounts")).includes(STRANGER));
    });
  });

  it("mines, moves the clock, and undoes both", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page);
      const first = await height();
      await page.getByRole("button", { name: "Mine a block" }).click();
      await page.getByRole("button", { name: "Undo: mine a block" }).waitFor();
      assert.equal(await height(), first + 1);
      await page.getByLabel("Blocks").fill("0");
      await page.getByRole("button", { name: "Mine", exact: true }).click();
      await page.getByText("no number of blocks").waitFor();
      await page.getByLabel("Blocks").fill("7");
      await page.getByRole("button", { name: "Mine", exact: true }).click();
      await page.getByRole("button", { name: "Undo: mine 7 blocks" }).click();
      await page.getByRole("button", { name: "Undo: mine a block" }).waitFor();
      assert.equal(await height(), first + 1);

      const time = async () => Number((await dev.rpc.call("eth_getBlockByNumber", "latest", false)).timestamp);
      const before = await time();
      await page.getByLabel("Time of the next block").fill("yesterday");
      await page.getByRole("button", { name: "Set and mine" }).click();
      await page.getByText("is no time after that of the best block").waitFor();
      await page.getByLabel("Time of the next block").fill("now + 7 d");
      await page.getByRole("button", { name: "Set and mine" }).click();
      await page.getByRole("button", { name: "Undo: set the time" }).waitFor();
      assert.ok((await time()) >= before + 7 * 86_400);
      await page.getByRole("button", { name: "Undo: set the time" }).click();
      await until(async () => (await time()) === before);
    });
  });

  it("takes snapshots, and returns to them", async () => {
    await withPage(browser, {}, async (page) => {
      await open(page);
      const first = await height();
      await page.getByRole("button", { name: "Take a snapshot" }).click();
      const snapshots = page.getByRole("list", { name: "Snapshots" });
      await snapshots.getByText(`block ${first}`).first().waitFor();
      await dev.rpc.call("hardhat_mine", "0x5");
      await page
        .getByText(`#${first + 5}`)
        .first()
        .waitFor();
      await snapshots.getByRole("button", { name: "Revert" }).click();
      await snapshots.waitFor({ state: "detached" });
      assert.equal(await height(), first);
      // Another tool may consume a snapshot.
      await page.getByRole("button", { name: "Take a snapshot" }).click();
      await snapshots.waitFor();
      await dev.rpc.call("evm_revert", "0x1");
      await snapshots.getByRole("button", { name: "Revert" }).click();
      await page.getByText("The node has no such snapshot").waitFor();
    });
  });
});

describe("what only a developer's page has", function () {
  this.timeout(300_000);
  /** Artifacts and keys. */
  const METHODS = ["dev_accounts", "dev_findArtifacts", "dev_getArtifact", "dev_addArtifact"];
  /** The buttons of the page: fund, impersonate, send, mine, set the time, snapshot, revert. */
  const CHANGES = ["hardhat_setBalance", "hardhat_impersonateAccount", "eth_sendTransaction", "evm_mine"].concat(
    ["hardhat_mine", "evm_setNextBlockTimestamp", "evm_snapshot", "evm_revert", "evm_setAutomine"],
    ["hardhat_stopImpersonatingAccount"],
  );
  const PARAMS: Readonly<Record<string, readonly unknown[]>> = {
    eth_sendTransaction: [{ from: STRANGER, to: STRANGER }],
    evm_setNextBlockTimestamp: ["0x7fffffff"],
    evm_revert: ["0x1"],
    evm_setAutomine: [true],
    hardhat_mine: ["0x1"],
    hardhat_setBalance: [STRANGER, "0x1"],
    hardhat_impersonateAccount: [STRANGER],
    hardhat_stopImpersonatingAccount: [STRANGER],
  };
  const ask = async (url: string, method: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: PARAMS[method] ?? [] });
    return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  };
  const errorOf = async (url: string, method: string): Promise<number | undefined> =>
    ((await (await ask(url, method)).json()) as { error?: { code: number } }).error?.code;

  it("is not for pages of other origins, nor under other names", async () => {
    const dev = await startDev();
    try {
      for (const method of [...METHODS, ...CHANGES]) {
        for (const origin of ["https://evil.example", "null"]) {
          assert.equal((await ask(dev.url, method, { origin })).status, 403, method);
          // A browser sends such a request without asking first.
          assert.equal((await ask(dev.url, method, { origin, "content-type": "text/plain" })).status, 403, method);
        }
        // A name of a foreign domain that points to this machine.
        assert.equal(await statusFor(dev.url, method, "evil.example"), 403, method);
      }
      assert.equal(await dev.rpc.call("eth_blockNumber"), "0x0");
      const modules = await dev.rpc.call("rpc_modules");
      assert.equal(modules.dev, "1.0");
    } finally {
      await dev.stop();
    }
  });

  it("is not on an address that others can reach, and the page shows none of it there", async () => {
    const dev = await startDev("--http.host", "0.0.0.0", "--dashboard", "--abi", WORKSHOP_FILE);
    try {
      const url = dev.url.replace("0.0.0.0", "127.0.0.1");
      for (const method of METHODS) assert.equal(await errorOf(url, method), -32601, method);
      const { result } = (await (await ask(url, "rpc_modules")).json()) as { result: Record<string, string> };
      assert.equal(result.dev, undefined);
      const { address } = await deployWorkshop(dev.rpc);
      await showsNothing(url, address);
    } finally {
      await dev.stop();
    }
  });

  it("is not on a node with API keys: no request without one, no accounts and artifacts with one", async () => {
    await withFolder(async (folder) => {
      const keys = join(folder, "keys");
      writeFileSync(keys, "secret-of-this-test\n", { mode: 0o600 });
      const flags = ["--mine", "--rpc.keys", keys, "--dashboard", "--data-dir", join(folder, "data")];
      const node = await startNode("--network", "local", ...flags);
      try {
        for (const method of [...METHODS, ...CHANGES]) {
          assert.equal((await ask(node.url, method)).status, 401, method);
          assert.equal((await ask(`${node.url}/other-key`, method)).status, 401, method);
        }
        const keyed = `${node.url}/secret-of-this-test`;
        for (const method of METHODS) assert.equal(await errorOf(keyed, method), -32601, method);
        // The node has no keys of accounts.
        assert.equal(await errorOf(keyed, "eth_sendTransaction"), -32602);
        assert.deepEqual(((await (await ask(keyed, "eth_accounts")).json()) as { result: unknown }).result, []);
      } finally {
        await node.stop();
      }
    });
  });

  it("is not on a public network", async () => {
    await withFolder(async (folder) => {
      const node = await startNode("--network", "test", "--no-p2p", "--data-dir", folder);
      try {
        const changes = CHANGES.filter((method) => method !== "eth_sendTransaction");
        for (const method of [...METHODS, ...changes]) assert.equal(await errorOf(node.url, method), -32601, method);
        assert.equal(await errorOf(node.url, "eth_sendTransaction"), -32602);
      } finally {
        await node.stop();
      }
    });
  });

  /** Status of a request with another name in its `Host` header, which `fetch` does not set. */
  function statusFor(url: string, method: string, host: string): Promise<number | undefined> {
    const headers = { "content-type": "application/json", host };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: PARAMS[method] ?? [] }));
    });
  }

  /** Checks that the page has neither accounts nor buttons, nor forms that send. */
  async function showsNothing(url: string, contract: string): Promise<void> {
    const program = findChromium();
    if (program === undefined) return;
    const browser = await openBrowser(program);
    try {
      await withPage(browser, {}, async (page) => {
        await page.goto(`${url}/dashboard/`);
        await page.getByRole("heading", { name: "Latest blocks" }).waitFor();
        for (const name of ["Mine", "Fund", "Impersonate", "Take a snapshot", "Undo"])
          assert.equal(await page.getByRole("button", { name }).count(), 0, name);
        await page.goto(`${url}/dashboard/#/address/${contract}`);
        await page.getByText("This browser keeps them").waitFor();
        assert.equal(await page.getByRole("heading", { name: /^Write/ }).count(), 0);
      });
    } finally {
      await browser.close();
    }
  }
});
