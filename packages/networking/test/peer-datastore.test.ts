import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "../src/index.js";
import { PeerDatastore } from "../src/libp2p/host/peer-datastore.js";

/** The part of a key that the store uses. */
const key = { toString: () => "/peers/1" } as Parameters<PeerDatastore["put"]>[0];

describe("stored addresses of peers", () => {
  it("that cannot be written are reported once, and fail neither a connection nor the end of the node", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cambium-peers-"));
    const failures: unknown[] = [];
    const store = new PeerDatastore(folder, (error) => failures.push(error));
    try {
      await store.open();
      const value = Uint8Array.of(1);
      await store.put(key, value);
      assert.deepEqual(Uint8Array.from(await store.get(key)), value);
      // Behaves like a read-only disk.
      const refuse = () => Promise.reject(new Error("EROFS"));
      Object.assign(store.db, { put: refuse, del: refuse, batch: refuse });
      assert.equal(await store.put(key, value), key);
      await store.delete(key);
      const batch = store.batch();
      batch.put(key, value);
      batch.delete(key);
      await batch.commit();
      assert.equal(failures.length, 1);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
