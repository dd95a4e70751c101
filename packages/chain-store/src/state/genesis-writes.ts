import { type Database, type Write, YoungWrite } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { Trie } from "@cambium/trie";
import type { Block } from "@cambium/types";
import { FACTS, STATE_LAYOUTS, TABLES } from "../tables/tables.js";
import { encodeRecord, nextRecord } from "./flat-record.js";
import { codeReference, encodeTrieBlock, hashInReference } from "./flat-tables.js";
import { removeFlatState } from "./remove-flat-state.js";
import type { StateLayout } from "./stored-states.js";

/** Block 0 and the data stored with it. */
export interface Genesis {
  block: Block;
  /** Root of the genesis state; it differs from the header's on main, whose header has a literal in the old format. */
  stateRoot: Uint8Array;
}

/** Changes that store the state of block 0 in an empty database and choose its layout. */
export function genesisStateWrites(genesis: GenesisNodes, layout: StateLayout): Write[] {
  const chosen: Write = { table: TABLES.facts, key: FACTS.layout, value: Uint8Array.of(STATE_LAYOUTS.indexOf(layout)) };
  return [chosen, ...(layout === "archive" ? archiveWrites(genesis) : flatWrites(genesis))];
}

/** Block 0, and the nodes and long values of its state. */
export interface GenesisNodes extends Genesis {
  nodes: readonly { hash: Uint8Array; bytes: Uint8Array }[];
}

/** Adds the changes of the flat layout that store the first version of a value, which a block made, to `writes`. */
export function addFirstVersion(writes: Write[], key: Uint8Array, value: Uint8Array, number: number): void {
  const stored = isCodeKey(key) ? codeReference(value) : value;
  const record = encodeRecord(nextRecord(undefined, number, stored, number));
  writes.push(new YoungWrite(TABLES.flatState, key, record));
  if (stored !== value) writes.push(new YoungWrite(TABLES.codes, hashInReference(stored), value));
}

function archiveWrites({ nodes }: GenesisNodes): Write[] {
  return nodes.map(({ hash, bytes }) => ({ table: TABLES.stateNodes, key: hash, value: bytes }));
}

function flatWrites({ nodes, stateRoot: root, block }: GenesisNodes): Write[] {
  const byHash = new Map(nodes.map(({ hash, bytes }) => [toHex(hash), bytes]));
  const writes: Write[] = [];
  const trie = new Trie({ byPlace: true, get: () => undefined });
  for (const { key, value } of new Trie({ get: (hash) => byHash.get(toHex(hash)) }, root).entries()) {
    trie.put(key, value);
    addFirstVersion(writes, key, value, 0);
  }
  trie.saveByPlace({ put: (place, message) => writes.push({ table: TABLES.trieNodes, key: place, value: message }) });
  const value = encodeTrieBlock({ number: 0, hash: block.hash, root });
  return [...writes, { table: TABLES.facts, key: FACTS.trieBlock, value }];
}

/**
 * Stores the state of block 0 in the flat layout. It replaces the state of a snapshot whose installation was aborted.
 * If this is interrupted, the database has no state.
 */
export async function restoreGenesisState(database: Database, genesis: GenesisNodes): Promise<void> {
  const removed = await removeFlatState(database);
  const wholeHistory: Write = { table: TABLES.facts, key: FACTS.oldestState, value: undefined };
  await database.write([...removed, ...genesisStateWrites(genesis, "flat"), wholeHistory]);
}
