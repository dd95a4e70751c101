import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Crc32c } from "./checksums.js";
import type { DatabaseFiles } from "./database-files.js";
import { logRecords } from "./log-records.js";

/** The part of the logs that has every change, in order. */
export interface CompleteLogs {
  /** Number of the last log of this part; undefined if there are no logs. */
  last: number | undefined;
  /** Length of its complete part in bytes; the rest is missing, torn or damaged. */
  end: number;
  /** File in which changes are missing before later ones; undefined if none are. */
  gap: { file: string; reason: string } | undefined;
}

/** Facts from a manifest about the logs. */
export interface LogStart {
  /** Number of the first log whose changes are not in tables; 0 if it is unknown. */
  logNumber: number;
  /** A number between the last change before that log and the last one of all. */
  lastSequence: number;
}

/** Sequence number of the first change and number of changes, in front of each batch. */
const BATCH_HEADER = 12;

/**
 * Reads the logs up to the first place where a batch follows invalid bytes, or where the sequence numbers of changes
 * are not consecutive. Changes may be missing at the end of the last log: a killed process leaves its last ones
 * incomplete.
 */
export function completeLogs(location: string, { logs }: DatabaseFiles, start: LogStart, crc: Crc32c): CompleteLogs {
  const { logNumber } = start;
  if (logNumber > 0 && !logs.has(logNumber)) {
    const file = `${String(logNumber).padStart(6, "0")}.log`;
    return { last: logNumber, end: 0, gap: { file, reason: "it is missing" } };
  }
  const reader = new SequenceReader(start.lastSequence);
  for (const number of [...logs.keys()].filter((number) => number >= logNumber).sort((a, b) => a - b)) {
    const file = logs.get(number)!;
    const reason = reader.read(readFileSync(join(location, file)), number, crc);
    if (reason !== undefined) return { ...reader.complete, gap: { file, reason } };
  }
  return { ...reader.complete, gap: undefined };
}

class SequenceReader {
  complete: { last: number | undefined; end: number } = { last: undefined, end: 0 };
  /** Sequence number of the next change; undefined before the first batch. */
  private next: number | undefined;
  /** The first damage. */
  private damage: string | undefined;

  constructor(private readonly lastSequence: number) {}

  /** Why a change of this log does not follow those before it; undefined if all do. */
  read(bytes: Uint8Array, log: number, crc: Crc32c): string | undefined {
    this.complete.last ??= log;
    const onDamage = (offset: number, reason: string) => {
      this.damage ??= `${reason}, offset ${offset}`;
    };
    for (const record of logRecords(bytes, crc, onDamage)) {
      if (this.damage !== undefined) return this.damage;
      if (record.bytes.length < BATCH_HEADER) continue;
      const view = new DataView(record.bytes.buffer, record.bytes.byteOffset);
      const sequence = Number(view.getBigUint64(0, true));
      const isConsecutive = this.next === undefined ? sequence <= this.lastSequence + 1 : sequence === this.next;
      if (!isConsecutive) return `changes before number ${sequence} are missing`;
      this.next = sequence + view.getUint32(8, true);
      this.complete = { last: log, end: record.end };
    }
    return undefined;
  }
}
