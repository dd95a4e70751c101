import assert from "node:assert/strict";
import { NetworkingError } from "../../src/index.js";

export function malformed(run: () => unknown, reason?: RegExp): void {
  assert.throws(run, (error) => {
    assert(error instanceof NetworkingError, String(error));
    assert.equal(error.code, "MALFORMED", error.message);
    if (reason !== undefined) assert.match(error.message, reason);
    return true;
  });
}

export function invalidAnswer(run: () => unknown, reason: RegExp): void {
  assert.throws(run, (error) => {
    assert(error instanceof NetworkingError, String(error));
    assert.equal(error.code, "INVALID_ANSWER", error.message);
    assert.match(error.message, reason);
    return true;
  });
}
