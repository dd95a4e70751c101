import assert from "node:assert/strict";
import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** Milliseconds to wait for a page on a busy machine. */
const PATIENCE = 120_000;
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

export const LOOKS: readonly BrowserContextOptions[] = [
  { viewport: WIDE, colorScheme: "light" },
  { viewport: PHONE, colorScheme: "dark" },
  { viewport: WIDE, colorScheme: "dark" },
  { viewport: PHONE, colorScheme: "light" },
];

/** Uses a page, and fails if it reported errors or sent a request to another host. */
export async function withPage(
  browser: Browser,
  look: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...look });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (new URL(request.url()).hostname !== "127.0.0.1") problems.push(request.url());
    });
    await use(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
}

/** Fails if the page is wider than the window, or violates a check of axe. */
export async function checkPage(page: Page, name: string): Promise<void> {
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  const allowed = page.viewportSize()!.width;
  assert.ok(width <= allowed, `${name} is ${width} pixels wide, the window ${allowed}`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(found, [], name);
}
