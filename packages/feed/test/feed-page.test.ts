import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { feedPage } from "../scripts/feed-page.js";

describe("docs/feeds.md", () => {
  it("lists the columns that rows have", () => {
    const page = readFileSync(new URL("../../../docs/feeds.md", import.meta.url), "utf8");
    assert.equal(feedPage(page), page, "run npm run docs");
  });
});
