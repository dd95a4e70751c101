import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { fc } from "@cambium/test-utils/properties";
import type { Exchange } from "../src/connections/exchange.js";
import { readBody } from "../src/http/body-reader.js";

/** A request whose body the test emits. */
class FakeRequest extends EventEmitter {
  headers: Record<string, string> = {};
  pause(): void {}
  resume(): void {}
}

describe("the reader of bodies", () => {
  const lengths = fc.array(fc.oneof(fc.nat(5), fc.nat(5_000), fc.integer({ min: 60_000, max: 70_000 })));

  /** Starts to read; `held` is the number of bytes taken from a budget of `room` bytes. */
  function reading(announced: number | undefined, room = Number.POSITIVE_INFINITY) {
    const exchange = {
      held: 0,
      holdUnread(bytes: number) {
        if (this.held + bytes > room) return false;
        this.held += bytes;
        return true;
      },
    };
    const request = new FakeRequest();
    if (announced !== undefined) request.headers["content-length"] = String(announced);
    const body = readBody(request as unknown as IncomingMessage, exchange as unknown as Exchange, 10_000_000);
    return { request, exchange, body };
  }

  it("returns the bytes in order, whatever chunks they come in", async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.boolean(), async (all, isAnnounced) => {
        const chunks = all.map((length, i) => Buffer.alloc(length, i + 1));
        const whole = Buffer.concat(chunks);
        const { request, exchange, body } = reading(isAnnounced ? whole.length : undefined);
        for (const chunk of chunks) request.emit("data", chunk);
        request.emit("end");
        assert(whole.equals(await body));
        if (isAnnounced) assert.equal(exchange.held, whole.length);
        else assert(exchange.held <= Math.max(2 * whole.length, 16_384));
      }),
    );
  });

  it("takes room for an announced body before it is read", async () => {
    assert.equal(reading(5_000_000).exchange.held, 5_000_000);
    await assert.rejects(reading(5_000_000, 4_999_999).body, { statusCode: 503 });
    await assert.rejects(reading(10_000_001).body, { statusCode: 413 });
  });

  it("takes room for other bodies as they grow", async () => {
    const { request, body } = reading(undefined, 100_000);
    for (let i = 0; i < 3; i++) request.emit("data", Buffer.alloc(30_000));
    await assert.rejects(body, { statusCode: 503 });
  });
});
