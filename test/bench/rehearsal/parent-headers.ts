import { sha256d } from "@cambium/merged-mining";
import { fromHex } from "@cambium/primitives";

const PARENT_GENESIS = fromHex("06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f");
const EASIEST_BITS = fromHex("ffff7f20");

/** Mines a header chain of the lowest difficulty, on the first block of regtest. */
export function* mineParentHeaders(): Generator<Uint8Array, never> {
  let previous = PARENT_GENESIS;
  for (;;) {
    const header = new Uint8Array(80);
    header.set(Uint8Array.of(1), 0);
    header.set(previous, 4);
    header.set(EASIEST_BITS, 72);
    const view = new DataView(header.buffer);
    for (let nonce = 0; sha256d(header)[31]! >= 0x7f; nonce++) view.setUint32(76, nonce, true);
    previous = sha256d(header);
    yield header;
  }
}
