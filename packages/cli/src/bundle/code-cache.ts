import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Script } from "node:vm";
import { threadId } from "node:worker_threads";
import { crc32 } from "node:zlib";

/** Place of a module's compiled code in the file. The checksums are those of its source and of the code. */
interface Place {
  source: number;
  checksum: number;
  start: number;
  length: number;
}

/** Size of the number at the start of a file, which is the length of its table of contents. */
const LENGTH_SIZE = 4;
/** Maximum length of the code of a module and of a table of contents, in bytes; a damaged number can be any. */
const MAX_LENGTH = 1 << 26;

/**
 * V8's compiled code of modules in one file, for the parts of the program that start together. If the file is missing,
 * damaged or outdated, modules are compiled from their sources; V8 refuses the code of other versions itself.
 */
export class CodeCache {
  private readonly places = new Map<string, Place>();
  /** The open file, if there is any. */
  private file: number | undefined;
  /** Compiled modules whose code may have to be written. */
  private readonly compiled = new Map<string, { script: Script; source: number }>();
  /** Whether the file has the code of all modules that were compiled. */
  private isComplete = true;

  /** `exists` tells whether the program still has a module. Without a path, no code is kept. */
  constructor(
    private readonly path: string | undefined,
    private readonly exists: (name: string) => boolean,
  ) {
    if (path === undefined) return;
    try {
      this.file = openSync(path, "r");
      this.readTable();
    } catch {
      // There is no file, or a damaged one.
    }
  }

  /** Compiles the source of a module; `compiler` receives the code in the file, if there is any. */
  compile(name: string, bytes: Buffer, compiler: (source: string, code: Buffer | undefined) => Script): Script {
    const source = crc32(bytes);
    const place = this.places.get(name);
    const code = place?.source === source ? this.read(place) : undefined;
    const script = compiler(bytes.toString(), code);
    this.isComplete &&= code !== undefined && script.cachedDataRejected !== true;
    this.compiled.set(name, { script, source });
    return script;
  }

  /** Writes the code of the compiled modules if any was missing, and closes the file. Never throws. */
  keep(): void {
    try {
      if (!this.isComplete && this.path !== undefined) this.write(this.path);
    } catch {
      // The user has no folder that can be written: the code is compiled at each start.
    }
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.places.clear();
    this.compiled.clear();
    this.isComplete = true;
  }

  private readTable(): void {
    const length = this.readBytes(0, LENGTH_SIZE).readUInt32LE();
    let start = LENGTH_SIZE + length;
    const table: [string, number, number, number][] = JSON.parse(this.readBytes(LENGTH_SIZE, length).toString());
    for (const [name, source, checksum, size] of table) {
      this.places.set(name, { source, checksum, start, length: size });
      start += size;
    }
  }

  /** Returns the code at a place; undefined if it is damaged. */
  private read({ start, length, checksum }: Place): Buffer | undefined {
    try {
      const code = this.readBytes(start, length);
      return crc32(code) === checksum ? code : undefined;
    } catch {
      return undefined;
    }
  }

  private readBytes(start: number, length: number): Buffer {
    if (length > MAX_LENGTH) throw new RangeError("damaged table of contents");
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.file!, bytes, 0, length, start));
  }

  /** Replaces the file. The shared temporary folder does not serve: other users could replace the code. */
  private write(path: string): void {
    const codes: Buffer[] = [];
    const table: [string, number, number, number][] = [];
    const add = (name: string, source: number, code: Buffer) => {
      table.push([name, source, crc32(code), code.length]);
      codes.push(code);
    };
    for (const [name, { script, source }] of this.compiled) add(name, source, script.createCachedData());
    for (const [name, place] of this.places) {
      const code = this.compiled.has(name) || !this.exists(name) ? undefined : this.read(place);
      if (code !== undefined) add(name, place.source, code);
    }
    const head = Buffer.from(JSON.stringify(table));
    const length = Buffer.alloc(LENGTH_SIZE);
    length.writeUInt32LE(head.length);
    const folder = dirname(path);
    makeFolder(dirname(folder));
    makeFolder(folder);
    const part = `${path}.${process.pid}-${threadId}`;
    try {
      writeFileSync(part, Buffer.concat([length, head, ...codes]), { mode: 0o600 });
      renameSync(part, path);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
  }
}

/** Creates a private folder in an existing one. */
function makeFolder(path: string): void {
  // Without `recursive`, which does not end below some folders of the system.
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}
