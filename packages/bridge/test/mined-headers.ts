import { reverseBytes } from "@cambium/primitives";
import { PARENT_CHAINS } from "../src/bitcoin/parent-chains.js";
import { parentBlockHash } from "../src/parent-chain/header-hash.js";
import { checkProofOfWork } from "../src/parent-chain/header-rules.js";

export const REGTEST = PARENT_CHAINS.regtest;

/** Mines a header of the parent regtest chain on another one; `mark` distinguishes siblings. */
export function mineOn(parent: Uint8Array, mark = 0): Uint8Array {
  const header = parent.slice();
  const view = new DataView(header.buffer);
  header.set(reverseBytes(parentBlockHash(parent)), 4);
  view.setUint32(36, mark, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    try {
      checkProofOfWork(header, REGTEST);
      return header;
    } catch {
      // About every second nonce is valid.
    }
  }
}

/** Mines `length` headers, each on the previous one. */
export function mineChain(parent: Uint8Array, length: number, mark = 0): Uint8Array[] {
  const headers: Uint8Array[] = [];
  for (let i = 0; i < length; i++) headers.push(mineOn(headers.at(-1) ?? parent, mark));
  return headers;
}
