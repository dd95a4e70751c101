import assert from "node:assert/strict";
import { equalBytes } from "@cambium/primitives";
import { fuzz } from "@cambium/test-utils/fuzz";
import { RlpxError } from "../../src/errors.js";
import { decodeMessage, encodeMessage } from "../../src/rsk/encoding.js";
import { catalogue } from "./recordings.js";

/** Whatever decodes encodes back to the same bytes. */
function roundTrip(code: number, payload: Uint8Array): void {
  let message: ReturnType<typeof decodeMessage>;
  try {
    message = decodeMessage(code, payload);
  } catch (error) {
    if (error instanceof RlpxError && error.code === "MALFORMED") throw error;
    throw new Error("not the error of a decoder", { cause: error });
  }
  const encoded = encodeMessage(message);
  assert(encoded.code === code && equalBytes(encoded.payload, payload));
}

describe("random and mutated messages", () => {
  for (const code of [0x10, 0x18]) {
    const samples = catalogue().filter((message) => message.code === code);
    it(`code 0x${code.toString(16)}`, () => {
      fuzz(
        samples.map(({ payload }) => payload),
        (data) => roundTrip(code, data),
      );
    });
  }
});
