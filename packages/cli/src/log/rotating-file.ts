import { appendFileSync, closeSync, existsSync, fstatSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "@cambium/database";
import { CliError } from "../errors.js";
import { setNamedFileMode } from "../private-files.js";
import { plainReason } from "../system-errors.js";

/** Programs that collect logs are in the group of the file. */
const MODE = 0o640;

/** Path of the log file, and the limits of its size. */
export interface LogFileOptions {
  path: string;
  /** Bytes after which a new file begins. */
  maxBytes: number;
  /** Older files that are kept: `<path>.1` is the newest. */
  kept: number;
}

/** A log file that is renamed when it is full. Lines that cannot be written, since the disk is full, are dropped. */
export class RotatingFile {
  private descriptor: number | undefined;
  private bytes = 0;

  /** Throws {@link CliError} `LOG_FILE` if the file cannot be opened. */
  constructor(private readonly options: LogFileOptions) {
    try {
      makeFolder(dirname(options.path));
      this.open();
    } catch (error) {
      throw new CliError({ code: "LOG_FILE", path: options.path, reason: plainReason(error) });
    }
  }

  write(line: string): void {
    const size = Buffer.byteLength(line);
    try {
      if (this.bytes > 0 && this.bytes + size > this.options.maxBytes) this.rotate();
      appendFileSync(this.descriptor ?? this.open(), line);
      this.bytes += size;
    } catch {
      // The log must not stop the node; the next line tries again.
    }
  }

  private open(): number {
    const { path } = this.options;
    const isNew = !existsSync(path);
    const descriptor = openSync(path, "a", MODE);
    if (isNew) setNamedFileMode(path, MODE);
    this.descriptor = descriptor;
    this.bytes = fstatSync(descriptor).size;
    return descriptor;
  }

  private rotate(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
    const { path, kept } = this.options;
    const nameOf = (age: number) => (age === 0 ? path : `${path}.${age}`);
    for (let age = kept - 1; age >= 0; age--) renameIfPresent(nameOf(age), nameOf(age + 1));
    this.open();
  }
}

function renameIfPresent(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
