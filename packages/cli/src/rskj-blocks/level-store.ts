import { readdirSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { utf8 } from "@cambium/primitives";
import { type BlockPlace, type BlockStore, databaseError } from "./block-store.js";
import { tableEntries } from "./level-table.js";

const TABLE = /^\d+\.(?:ldb|sst)$/;

/**
 * A store in LevelDB. LevelDB writes when it opens a database, and reads the 10 MiB that the deployed client packs
 * together for each value. Therefore the table files, which are not compressed, are read directly. The log, with the
 * latest blocks, is not read.
 */
export class LevelStore implements BlockStore {
  fractionRead = 0;

  constructor(private readonly path: string) {}

  async *all(): AsyncGenerator<{ place: BlockPlace; rlp: Uint8Array }> {
    const names = readdirSync(this.path).filter((name) => TABLE.test(name));
    for (const [index, name] of names.entries()) {
      const bytes = await this.reading(name, () => readFile(join(this.path, name)));
      const entries = await this.reading(name, async () => [...tableEntries(bytes)]);
      for (const { key, value, offset } of entries) {
        const position = utf8(`${name} ${offset}`);
        yield { place: { hash: key, size: value.length, position }, rlp: value };
      }
      this.fractionRead = (index + 1) / names.length;
    }
  }

  async get({ size, position }: BlockPlace): Promise<Uint8Array | undefined> {
    const [name, offset] = Buffer.from(position).toString().split(" ");
    return this.reading(name!, async () => {
      const file = await open(join(this.path, name!));
      try {
        const rlp = new Uint8Array(size);
        const { bytesRead } = await file.read(rlp, 0, size, Number(offset));
        return bytesRead < size ? undefined : rlp;
      } finally {
        await file.close();
      }
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private reading<T>(name: string, read: () => Promise<T>): Promise<T> {
    return read().catch((error: Error) => {
      throw databaseError(join(this.path, name), error.message);
    });
  }
}
