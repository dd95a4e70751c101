import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex } from "@cambium/primitives";

export interface BlockLine {
  number: number;
  /** Hash with `0x`. */
  hash: string;
  /** RLP of the block. */
  block: Uint8Array;
}

/** Reads gzipped block files, whose lines are `number,hash,totalDifficulty,rlp`. */
export function readBlockLines(files: readonly string[]): BlockLine[] {
  return files.flatMap((file) => {
    const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
    return lines.map((line) => {
      const [number, hash, , rlp] = line.split(",") as [string, string, string, string];
      return { number: Number(number), hash: `0x${hash}`, block: fromHex(rlp) };
    });
  });
}
