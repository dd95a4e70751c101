import { composeForkDetectionData } from "@cambium/merged-mining";
import { fromHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";
import { expectEqual, runCase } from "./checks.js";

/** Rows of contiguous blocks: number, first byte of the parent-chain hash, uncle count, fork-detection data. */
export interface ForkDetectionFile {
  columns: readonly string[];
  rows: readonly (readonly [number, number, number, string])[];
}

const UNCLE_WINDOW = 32;

/**
 * One case per row. Values from blocks before the first row are taken from the row itself, so that early rows are
 * checked as far as the file allows, and rows from the 450th on completely.
 */
export function* runForkDetectionRows(file: ForkDetectionFile): Iterable<CaseResult> {
  const expectedColumns = "number,cpvByte,uncleCount,forkDetectionData";
  yield runCase("columns", () => expectEqual("columns", file.columns, expectedColumns));
  const rows = new Map(file.rows.map((row) => [row[0], row]));
  for (const [number, , , data] of file.rows) {
    const parent = number - 1;
    const expected = fromHex(data);
    const known = rows.has(parent - UNCLE_WINDOW + 1);
    yield runCase(`row ${number}`, () => {
      const calculated = composeForkDetectionData(parent, {
        commitment: (distance) => rows.get(parent - distance)?.[1] ?? expected[Math.floor(distance / 64)]!,
        uncleCount: (distance) => (known ? rows.get(parent - distance)![2] : distance === 0 ? expected[7]! : 0),
      });
      expectEqual("fork-detection data", calculated, data);
    });
  }
}
