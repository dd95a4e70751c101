import { toHex } from "@cambium/primitives";
import type { Block, BlockHeader } from "@cambium/types";
import type { BlockInput } from "../import/block-input.js";

interface DecodedInput {
  header: BlockHeader;
  block: Block | undefined;
}

/** Decoded forms of the blocks being imported, as given by the callers. */
export class OfferedBlocks {
  private readonly inputs = new Map<string, DecodedInput[]>();

  /** Remembers an input until the returned function is called. */
  add({ header, block }: BlockInput): () => void {
    const known = block?.header ?? header;
    if (known === undefined) return () => undefined;
    const key = toHex(known.hash);
    const input = { header: known, block };
    this.inputs.set(key, [...(this.inputs.get(key) ?? []), input]);
    return () => this.remove(key, input);
  }

  /**
   * Returns the input with this hash if there is only one. With several, it is unknown which one was stored. Their
   * headers may differ: from RSKIP-92 on, the hash omits a part of the merged-mining proof.
   */
  only(hash: Uint8Array): DecodedInput | undefined {
    const [input, ...more] = this.inputs.get(toHex(hash)) ?? [];
    return more.length === 0 ? input : undefined;
  }

  private remove(key: string, input: DecodedInput): void {
    const rest = this.inputs.get(key)!.filter((one) => one !== input);
    if (rest.length > 0) this.inputs.set(key, rest);
    else this.inputs.delete(key);
  }
}
