import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { malformed, readTuple, readUint, readWhole } from "../../rlp.js";
import { perTenSeconds, smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "goodbye";

/** Announces that the connection is being closed, with the reason as a number; it has no answer. */
export const goodbyeProtocol: Protocol<number, never> = {
  name: "goodbye",
  bounds: smallBounds(0, { requestBytes: 64, frames: () => 0 }),
  rate: perTenSeconds(1),
  items: () => 1,
  encodeRequest: (reason) => encodeRlp([numberToBytes(reason)]),
  decodeRequest: (bytes) => readUint(readTuple(readWhole(bytes, WHAT), WHAT, 1)[0]!, "goodbye reason"),
  encodeItem: (item) => item,
  decodeItem: () => {
    throw malformed(WHAT, "an answer to a request that has none");
  },
};
