import assert from "node:assert/strict";
import { partOf } from "../web/format/parts.js";
import { linkTo, routeOf } from "../web/format/route.js";

describe("pages of a long list", () => {
  it("have fifty rows each, and the first one where the address names none", () => {
    assert.deepEqual(partOf(1_618, "33"), { start: 1_600, end: 1_618, page: 33, pages: 33 });
    for (const text of [undefined, "", "0", "34", "-1", "two", "1e3"]) assert.equal(partOf(1_618, text).page, 1);
    assert.deepEqual(partOf(0, "2"), { start: 0, end: 0, page: 1, pages: 1 });
  });
});

describe("addresses of pages", () => {
  it("name the page, its subject and the part that is shown", () => {
    const link = linkTo("block", "1 2/3?", { page: "2" });
    assert.deepEqual(routeOf(link), { page: "block", subject: "1 2/3?", options: { page: "2" } });
    assert.deepEqual(routeOf(""), { page: "overview", subject: "", options: {} });
    assert.deepEqual(routeOf("#/?"), { page: "overview", subject: "", options: {} });
    assert.equal(routeOf("#/address/%E0%A4").subject, "%E0%A4");
  });
});
