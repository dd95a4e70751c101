import type { KadDHTComponents } from "@libp2p/kad-dht";

type Datastore = KadDHTComponents["datastore"];

class NotFound extends Error {
  override readonly name = "NotFoundError";
}

async function* nothing(): AsyncGenerator<never> {}

/** A datastore that discards the records of other nodes: discovery is for finding peers only (`spec/07 §D.4`). */
export function noRecords(): Datastore {
  const store: Datastore = {
    put: (key) => key,
    get: () => {
      throw new NotFound();
    },
    has: () => false,
    delete: () => undefined,
    putMany: async function* (source) {
      for await (const { key } of source) yield key;
    },
    getMany: nothing,
    deleteMany: async function* (source) {
      yield* source;
    },
    batch: () => ({ put: () => undefined, delete: () => undefined, commit: () => undefined }),
    query: nothing,
    queryKeys: nothing,
  };
  return store;
}
