import { serveThread } from "@cambium/primitives";
import { hashRecords } from "./record-layout.js";

export interface HashingMethods {
  /** Writes the hashes of records in shared memory. */
  hash(records: Uint8Array): void;
}

void serveThread<HashingMethods>(() => ({ methods: { hash: hashRecords } }));
