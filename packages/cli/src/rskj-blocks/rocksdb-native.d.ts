/** The part of the package that reads a database; it ships no types. */
declare module "rocksdb-native" {
  interface Entry {
    key: Uint8Array;
    value: Uint8Array;
  }

  export default class RocksDB {
    constructor(path: string, options?: { readOnly?: boolean; createIfMissing?: boolean });
    ready(): Promise<void>;
    iterator(range: object, options: { capacity: number }): AsyncIterable<Entry>;
    get(key: Uint8Array): Promise<Uint8Array | null>;
    put(key: Uint8Array, value: Uint8Array): Promise<void>;
    getProperty(name: string): Promise<string | null>;
    close(): Promise<void>;
  }
}
