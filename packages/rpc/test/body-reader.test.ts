import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { fc } from "@cambium/test-utils/properties";
import type { Exchange } from "../src/connections/exchange.js";
import { readBody } from "../src/http/body-reader.js";

/** A request whose body the test emits. */
class FakeRequest extends EventEmitter {
  headers = {};
  pause(): void {}
  resume(): void {}
}

describe("the reader of bodies", () => {
  it("returns the bytes in order, whatever chunks they come in", async () => {
    const lengths = fc.array(fc.oneof(fc.nat(5), fc.nat(5_000), fc.integer({ min: 60_000, max: 70_000 })));
    await fc.assert(
      fc.asyncProperty(lengths, async (all) => {
        let held = 0;
        const holdUnread = (bytes: number) => {
          held += bytes;
          return true;
        };
        const request = new FakeRequest();
        const exchange = { holdUnread } as Exchange;
        const read = readBody(request as unknown as IncomingMessage, exchange, 10_000_000);
        const chunks = all.map((length, i) => Buffer.alloc(length, i + 1));
        for (const chunk of chunks) request.emit("data", chunk);
        request.emit("end");
        const body = await read;
        assert(body.equals(Buffer.concat(chunks)));
        assert.equal(held, body.length);
      }),
    );
  });
});
