import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** Milliseconds to wait for a page on a busy machine. */
export const PATIENCE = 60_000;

/**
 * Uses a page, and fails if it reported errors or sent a request to another host. `mayFail`: the node is not always
 * running, which browsers report.
 */
export async function withPage(
  browser: Browser,
  look: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
  { mayFail = false } = {},
): Promise<void> {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...look });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !mayFail) problems.push(message.text());
    });
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      const { hostname } = new URL(request.url());
      if (hostname !== "127.0.0.1") problems.push(request.url());
    });
    page.on("dialog", (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await use(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
}

/** Opens a route, and waits until the page is complete, that is, has the text. */
export async function open(page: Page, url: string, route: string, text: string): Promise<void> {
  await page.goto(`${url}/dashboard/#/${route}`);
  await page.locator("main").getByText(text).filter({ visible: true }).first().waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
}
