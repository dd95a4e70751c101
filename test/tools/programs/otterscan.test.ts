import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chainFile } from "@cambium/test-utils/chain-files";
import { importRecorded, startNode, withFolder } from "@cambium/test-utils/node-cli";
import type { Browser } from "playwright-core";
import { findChromium, openBrowser } from "../../e2e/dashboard/browser.js";
import { inEachMode } from "./chains.js";
import { recordedScene, type Scene, sentScene } from "./otterscan/scene.js";
import { OtterscanServer } from "./otterscan/server.js";
import { Visit } from "./otterscan/visit.js";

const BUILD = process.env.OTTERSCAN ?? "";

/**
 * Opens Otterscan, a block explorer that is a web page, in a browser. `OTTERSCAN` names the folder of a build.
 * Otterscan is no npm package, so build it from its repository, github.com/otterscan/otterscan: `npm ci`, `npx vite
 * build`.
 */
describe("Otterscan", function () {
  this.timeout(600_000);
  const program = findChromium();
  if (!existsSync(join(BUILD, "index.html"))) {
    it.skip("needs a build of Otterscan, which OTTERSCAN names");
    return;
  }
  if (program === undefined) {
    it.skip("needs Chromium, not installed here");
    return;
  }

  let server: OtterscanServer;
  let browser: Browser;
  before(async () => {
    server = await OtterscanServer.open(BUILD);
    browser = await openBrowser(program);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const visit = (url: string, scene: Scene) => Visit.run(browser, server.showing(url), url, scene);

  inEachMode("shows what was sent", async ({ url, keys }) => visit(url, await sentScene(url, keys[0]!)), {
    flags: () => ["--http.cors", server.url],
  });

  it("shows a chain of the deployed network's client (specification)", () =>
    withFolder(async (folder) => {
      const chain = ["--network", "local", "--data-dir", folder];
      await importRecorded(chainFile("contracts"), ...chain);
      const flags = ["--rpc.compatibility", "specification", "--http.cors", server.url, "--no-ws"];
      const node = await startNode(...chain, ...flags);
      try {
        await visit(node.url, await recordedScene(node.url, "contracts"));
      } finally {
        assert.equal(await node.stop(), 0);
      }
    }));
});
