import assert from "node:assert/strict";
import { readDashboard } from "../src/files.js";

/** Bytes that a browser downloads at most, compressed. */
const MAX_BYTES = 150_000;

describe("the built page", () => {
  it("is small", async () => {
    const files = [...(await readDashboard()).values()];
    assert.ok(files.length >= 3, "run npm run build");
    const size = files.reduce((sum, { gzipped }) => sum + gzipped.length, 0);
    assert.ok(size < MAX_BYTES, `${size} bytes`);
  });
});
