import assert from "node:assert/strict";
import { type Json, RpcClient } from "@cambium/test-utils/rpc-client";
import { getAddress } from "ethers";
import type { Browser, Page, Response } from "playwright-core";
import type { Scene } from "./scene.js";

/** Milliseconds to wait for a page on a busy machine. */
const PATIENCE = 60_000;
/** Transactions on a page of an account. */
const PAGE_SIZE = 25;

/** A walk through Otterscan's pages. */
export class Visit {
  private readonly rpc: RpcClient;

  private constructor(
    private readonly page: Page,
    private readonly url: string,
    node: string,
  ) {
    this.rpc = new RpcClient(node);
    page.setDefaultTimeout(PATIENCE);
  }

  /** Visits all pages of a scene. Rejects if one lacks something, throws, or gets an error from the node. */
  static async run(browser: Browser, url: string, node: string, scene: Scene): Promise<void> {
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC" });
    const problems: string[] = [];
    const answers: Promise<void>[] = [];
    try {
      // Names of methods and sources of contracts are looked up elsewhere.
      await context.route(
        ({ hostname }) => hostname !== "127.0.0.1",
        (route) => route.abort(),
      );
      const page = await context.newPage();
      page.on("pageerror", ({ message }) => problems.push(message));
      page.on("response", (response) => {
        if (response.url().startsWith(node))
          answers.push(errorsOf(response).then((found) => void problems.push(...found)));
      });
      const visit = new Visit(page, url, node);
      await visit.all(scene);
      await Promise.all(answers);
    } finally {
      await context.close();
    }
    assert.deepEqual(problems, []);
  }

  private async all(scene: Scene): Promise<void> {
    try {
      await this.blocks(scene);
      await this.transactions(scene);
      await this.accounts(scene);
      await this.search(scene);
    } catch (error) {
      const text = await this.page.locator("body").innerText();
      throw new Error(`${this.page.url()}: ${(error as Error).message}: ${text}`, { cause: error });
    }
  }

  private async open(path: string): Promise<Page> {
    await this.page.goto(`${this.url}/${path}`);
    return this.page;
  }

  private async shows(...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  private async hasLink(path: string): Promise<void> {
    await this.page.locator(`a[href="/${path}"]`).filter({ visible: true }).first().waitFor();
  }

  private async blocks({ operations }: Scene): Promise<void> {
    const height = Number(await this.rpc.call("eth_blockNumber"));
    await this.open("");
    await this.shows(`Latest block: ${height}`);
    const { blockHash, blockNumber } = await this.rpc.call("eth_getTransactionReceipt", operations[0]!.hash);
    const number = Number(blockNumber);
    const { transactions } = await this.rpc.call("eth_getBlockByNumber", blockNumber, false);
    for (const block of [number, blockHash]) {
      await this.open(`block/${block}`);
      await this.shows("Mined by", `${transactions.length} transaction`, blockHash);
    }
    await this.open(`block/${number}/txs`);
    for (const hash of transactions) await this.hasLink(`tx/${hash}`);
  }

  private async transactions({ operations, failed, contract }: Scene): Promise<void> {
    for (const { hash, word, account } of operations) {
      await this.open(`tx/${hash}`);
      await this.shows("Success", word);
      await this.hasLink(`address/${getAddress(account)}`);
      await this.open(`tx/${hash}/trace`);
      await this.hasLink(`address/${getAddress(account)}`);
      const { from } = await this.rpc.call("eth_getTransactionByHash", hash);
      await this.open(`tx/${hash}/statediff`);
      await this.shows("nonce");
      await this.hasLink(`address/${getAddress(from)}`);
    }
    await this.open(`tx/${contract.creation}`);
    await this.shows("Contract Created");
    await this.hasLink(`address/${getAddress(contract.address)}`);
    await this.open(`tx/${failed.hash}`);
    await this.shows("Fail with revert message", failed.reason);
  }

  private async accounts({ contract: { address, creator, creation, transactions } }: Scene): Promise<void> {
    const shown = getAddress(address);
    await this.open(`address/${shown}`);
    const newest = transactions.toReversed().slice(0, PAGE_SIZE);
    for (const hash of newest) await this.hasLink(`tx/${hash}`);
    await this.shows("Contract creator");
    await this.hasLink(`address/${getAddress(creator)}`);
    await this.open(`address/${shown}/txs/last`);
    for (const hash of transactions.slice(0, PAGE_SIZE)) await this.hasLink(`tx/${hash}`);
    await this.open(`address/${shown}/contract`);
    const code = this.page.locator("textarea").first();
    await code.waitFor();
    assert.equal(await code.inputValue(), await this.rpc.call("eth_getCode", address, "latest"));
    const { nonce } = await this.rpc.call("eth_getTransactionByHash", creation);
    await this.open(`address/${getAddress(creator)}?nonce=${Number(nonce)}`);
    await this.page.waitForURL(`**/tx/${creation}`);
  }

  private async search({ failed, contract }: Scene): Promise<void> {
    for (const [text, path] of [
      [failed.hash, `tx/${failed.hash}`],
      [contract.address, `address/${getAddress(contract.address)}`],
      ["1", "block/1"],
    ] as const) {
      await this.open("");
      await this.page.locator("[data-test=home-search-input]").fill(text);
      await this.page.keyboard.press("Enter");
      await this.page.waitForURL(`**/${path}`);
    }
  }
}

/** Returns the errors in an answer, except those of calls: Otterscan asks each contract for its name. */
async function errorsOf(response: Response): Promise<string[]> {
  if (response.request().method() !== "POST") return [];
  const asked: Json[] = [response.request().postDataJSON()].flat();
  // A page that is left does not read the answer.
  const answer: Json = await response.json().catch(() => []);
  return [answer].flat().flatMap(({ id, error }) => {
    const request = asked.find((request) => request.id === id);
    if (error === undefined || request?.method === "eth_call") return [];
    return [`${JSON.stringify(request)}: ${error.message}`];
  });
}
