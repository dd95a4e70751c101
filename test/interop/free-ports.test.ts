import assert from "node:assert/strict";
import { freePorts } from "./free-ports.js";

describe("free ports", () => {
  it("are chosen once, also for nodes that start at the same time", async () => {
    const firsts = await Promise.all(Array.from({ length: 400 }, () => freePorts(2)));
    const ports = firsts.flatMap((first) => [first, first + 1]);
    assert.equal(new Set(ports).size, ports.length);
  });
});
