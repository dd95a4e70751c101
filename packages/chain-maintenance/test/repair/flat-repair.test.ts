import assert from "node:assert/strict";
import { type Chain, localBlock, openChain, openReader } from "@cambium/chain";
import {
  ChainStore,
  decodeDiff,
  decodeRecord,
  encodeDiff,
  encodeRecord,
  FACTS,
  FlatStates,
  isTombstoneKey,
  numberFact,
  TABLES,
} from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase, numberKey, readNumber, type Table, type Write } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, toHex } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { chainBlocks } from "@cambium/test-utils/chain-files";
import { destroyedStorages, LAST_DESTRUCTION } from "@cambium/test-utils/chains/destroyed-storages";
import { NOW } from "@cambium/test-utils/mined-chains";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import type { Block } from "@cambium/types";
import { checkDatabase } from "../../src/index.js";
import { rebuildChain } from "../../src/repair/repair-database.js";

/** The stored trie is several blocks behind the best one. */
const FLAT_STATE = { maxBlocks: 7 };

const network = NETWORKS.local;
const now = () => NOW;

type Entry = { key: Uint8Array; value: Uint8Array };

for (const name of ["uncles-and-reorgs", "contracts"]) {
  describe(`repairing a flat state, chain ${name}`, () => repairTests(() => chainBlocks(name)));
}
// Hidden cells of states before a destruction cannot be verified.
describe("repairing a flat state, chain with destroyed storages", () =>
  repairTests(destroyedStorages, LAST_DESTRUCTION));

/** `first`: the lowest block whose state can be repaired. */
function repairTests(readBlocks: () => Promise<readonly Block[]>, first = 0): void {
  const oldest = first === 0 ? 0 : undefined;
  let blocks: readonly Block[];
  const chance = random(SEED);
  let whole: MemoryDatabase;
  let best: number;
  /** Number of blocks outside the best chain, and of blocks that are executed again to verify their changes. */
  let beside: number;
  let verified: number;
  /** All keys that ever had a value. */
  let keys: Uint8Array[];
  /** Content of the state after each block of the best chain. */
  let states: Map<string, string>;

  before(async () => {
    whole = new MemoryDatabase();
    blocks = await readBlocks();
    const chain = await openChain({ network, database: whole, flatState: FLAT_STATE, now });
    for (const block of blocks) await chain.import(localBlock(block));
    best = chain.best().header.number;
    beside = (await entries(TABLES.outcomes)).length - best - 1;
    const repairable = (await entries(TABLES.siblings)).filter(({ key }) => readNumber(key, 0) > first);
    verified = repairable.reduce((sum, { value }) => sum + value.length / 32 - 1, 0);
    keys = (await entries(TABLES.flatState)).map(({ key }) => key).filter((key) => !isTombstoneKey(key));
    states = contents(whole);
    assert(states.size === best + 1);
  });

  it("builds a lost trie from the values", async () => {
    for (const share of [1, 0.1]) {
      const database = await damaged(await some(TABLES.trieNodes, share));
      const { decisions, executed } = await repaired(database);
      // A share of the nodes may consist of nodes of destroyed storages only.
      const isBuilt = decisions.some((text) => /^the trie of block \d+ is built/.test(text));
      assert(isBuilt || (share < 1 && first > 0), decisions.join("; "));
      if (share === 1) assert.equal(executed, verified);
      await isSame(database, oldest);
    }
  });

  it("builds a lost trie if it is not known of which block it was", async () => {
    const fact = { table: TABLES.facts, key: FACTS.trieBlock, value: undefined };
    const database = await damaged([...(await some(TABLES.trieNodes, 0.3)), fact]);
    assert.equal((await repaired(database)).executed, verified);
    await isSame(database, oldest);
  });

  it("restores lost and wrong values from the trie, with their history", async () => {
    for (const change of [lost, older, wrong]) {
      const short = (await entries(TABLES.flatState)).filter(({ key, value }) => !isLong(key, value));
      const writes = short.filter(() => chance() < 0.2).map((entry) => change(entry));
      const database = await damaged(writes);
      const { decisions } = await repaired(database);
      assert(!decisions.some((text) => text.includes("genesis")), `SEED=${SEED}: ${decisions.join("; ")}`);
      await isSame(database, oldest);
    }
  });

  it("restores values and nodes from each other", async () => {
    const cells = (await entries(TABLES.flatState)).filter(({ key, value }) => !isLong(key, value));
    const nodes = await entries(TABLES.trieNodes);
    // A subtree and a value far from it.
    const node = nodes.findLast(({ key }) => key.length > 2)!;
    const prefix = toHex(node.key.subarray(0, 2));
    const value = cells.find(({ key }) => !toHex(key).startsWith(prefix))!;
    const database = await damaged([
      { table: TABLES.trieNodes, key: node.key, value: undefined },
      { table: TABLES.flatState, key: value.key, value: undefined },
    ]);
    const { decisions } = await repaired(database);
    assert(!decisions.some((text) => text.includes("genesis")), decisions.join("; "));
    await isSame(database, oldest);
  });

  it("goes back to the highest sound block, and executes the next ones again", async () => {
    const hash = (number: number) => whole.get(TABLES.bestChain, numberKey(number))!;
    for (const [table, back] of [
      [TABLES.receipts, 0],
      [TABLES.receipts, 9],
      [TABLES.outcomes, 3],
    ] as const) {
      const database = await damaged([{ table, key: hash(best - back), value: undefined }]);
      const { executed } = await repaired(database);
      assert(executed > back && executed < back + beside + 2, `${executed} executed`);
      await isSame(database, oldest);
    }
  });

  it("leaves blocks whose content is lost to synchronisation", async () => {
    for (const table of [TABLES.headers, TABLES.transactions]) {
      const key = whole.get(TABLES.bestChain, numberKey(best - 2))!;
      const database = await damaged([{ table, key, value: undefined }]);
      const { decisions } = await repaired(database);
      assert(!decisions.some((text) => text.includes("genesis")), decisions.join("; "));
      const chain = await openChain({ network, database, now });
      assert(chain.best().header.number >= best - 3);
      await complete(chain);
      await isSame(database, oldest);
    }
  });

  it("keeps the history that is above any damaged entries, or refuses", async () => {
    const tables = [
      TABLES.flatState,
      TABLES.trieNodes,
      TABLES.stateDiffs,
      TABLES.sideDiffs,
      TABLES.facts,
      TABLES.codes,
    ];
    for (let trial = 0; trial < 4; trial++) {
      const writes: Write[] = [];
      for (let i = 0; i < 3; i++) {
        const table = tables[Math.floor(chance() * tables.length)]!;
        const all = await entries(table);
        const entry = all[Math.floor(chance() * all.length)];
        if (entry !== undefined) writes.push({ table, key: entry.key, value: undefined });
      }
      const database = await damaged(writes);
      await repaired(database);
      await complete(await openChain({ network, database, now }));
      await isSame(database, undefined, `SEED=${SEED}, trial ${trial}`);
    }
  });

  if (first === 0) wholeHistoryTests();

  function wholeHistoryTests(): void {
    it("executes all blocks again if a long value or a code is lost", async () => {
      const long = (await entries(TABLES.flatState)).filter(({ key, value }) => isLong(key, value));
      const codes = await some(TABLES.codes, 1);
      const cases = [long.map(lost), codes].filter(({ length }) => length > 0);
      assert(cases.length > 0);
      for (const writes of cases) {
        const database = await damaged(writes);
        const { decisions } = await repaired(database);
        assert.equal(decisions.at(-1), "all stored blocks are executed again from genesis");
        await isSame(database, 0);
      }
    });

    it("undoes blocks above one that is said to be the best", async () => {
      const value = whole.get(TABLES.bestChain, numberKey(best - 10));
      const database = await damaged([{ table: TABLES.facts, key: FACTS.best, value }]);
      const { decisions } = await repaired(database);
      assert(decisions[0]!.startsWith(`blocks ${best - 9} to ${best} are undone`), decisions.join("; "));
      assert.equal(
        decisions.at(-1),
        `the state of block ${best - 10} is complete; states from block 0 on are readable`,
      );
      await isSame(database, 0);
    });

    it("keeps the history above a diff that is lost or of another block", async () => {
      // Number of a block below that of the stored trie.
      const number = best - 10;
      const key = numberKey(number);
      const other = whole.get(TABLES.stateDiffs, numberKey(number - 1));
      for (const value of [undefined, other, withWrongVersion(number)]) {
        const database = await damaged([{ table: TABLES.stateDiffs, key, value }]);
        const { decisions } = await repaired(database);
        const oldest = numberFact(database, FACTS.oldestState)!;
        // A wrong number of a version is noticed at the block that made it.
        assert(
          oldest === number || (oldest < number && value?.length === withWrongVersion(number).length),
          `${oldest}`,
        );
        assert.equal(
          decisions.at(-1),
          `the state of block ${best} is complete; states from block ${oldest} on are readable`,
        );
        await isSame(database);
      }
    });
  }

  async function complete(chain: Chain): Promise<void> {
    for (const block of blocks) await chain.import(localBlock(block));
    assert.equal(chain.best().header.number, best);
  }

  /**
   * Checks that all readable states equal those of a database that was never damaged, and that `oldest` is the first of
   * them.
   */
  async function isSame(database: MemoryDatabase, oldest?: number, what = `SEED=${SEED}`): Promise<void> {
    const { problems } = await checkDatabase(database, network, { deep: true });
    assert.deepEqual(problems, [], what);
    const reader = openReader({ network, database });
    assert.equal(reader.best().header.number, best, what);
    if (oldest !== undefined) assert.equal(numberFact(database, FACTS.oldestState) ?? 0, oldest, what);
    for (const [hash, content] of contents(database)) assert.equal(content, states.get(hash), what);
    assert(contents(database).size >= 1, what);
  }

  function contents(database: MemoryDatabase): Map<string, string> {
    const store = new ChainStore(database, network);
    const flat = new FlatStates(store.states, undefined);
    const found = new Map<string, string>();
    for (let number = best; number >= 0; number--) {
      const hash = store.hashAt(number)!;
      const state = flat.after({ number, hash }, store.outcome(hash)!);
      if (state === undefined) continue;
      const lines = keys.map((key) => `${toHex(key)}=${toHex(state.get(key) ?? EMPTY_BYTES)}`);
      found.set(toHex(hash), lines.join("\n"));
    }
    return found;
  }

  async function damaged(writes: readonly Write[]): Promise<MemoryDatabase> {
    const database = new MemoryDatabase(whole);
    await database.write(writes);
    return database;
  }

  async function repaired(database: MemoryDatabase): Promise<{ decisions: string[]; executed: number }> {
    const decisions: string[] = [];
    const { executed } = await rebuildChain(database, {
      network,
      now,
      onDecision: (text) => void decisions.push(text),
    });
    return { decisions, executed };
  }

  async function entries(table: Table): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const { key, value } of whole.entries(table)) found.push({ key, value });
    return found;
  }

  /** Removes a part of a table. */
  async function some(table: Table, share: number): Promise<Write[]> {
    const chosen = (await entries(table)).filter(() => share === 1 || chance() < share);
    return chosen.map(({ key }) => ({ table, key, value: undefined }));
  }

  function isLong(key: Uint8Array, value: Uint8Array): boolean {
    return !isCodeKey(key) && decodeRecord(value, key).value.length > 32;
  }

  function lost({ key }: Entry): Write {
    return { table: TABLES.flatState, key, value: undefined };
  }

  /** Returns a record that was replaced, as a lost table may uncover it. */
  function older({ key, value }: Entry): Write {
    const { changed } = decodeRecord(value, key);
    const diff = whole.get(TABLES.stateDiffs, numberKey(changed));
    const before = diff && [...decodeDiff(diff, changed)].find((one) => toHex(one.key) === toHex(key));
    return { table: TABLES.flatState, key, value: before === undefined ? value : before.bytes };
  }

  function wrong({ key, value }: Entry): Write {
    const record = decodeRecord(value, key);
    return { table: TABLES.flatState, key, value: encodeRecord({ ...record, value: concatBytes(record.value, key) }) };
  }

  /** Returns a diff with the right values, in which one names an earlier block as its origin. */
  function withWrongVersion(number: number): Uint8Array {
    const diff = whole.get(TABLES.stateDiffs, numberKey(number))!;
    let isChanged = false;
    const changed = Array.from(decodeDiff(diff, number), ({ key, bytes }) => {
      const record = bytes && decodeRecord(bytes, key);
      if (isChanged || record === undefined || record.changed === 0) return { key, bytes };
      isChanged = true;
      return { key, bytes: encodeRecord({ ...record, changed: record.changed - 1, earlier: [] }) };
    });
    assert(isChanged);
    return encodeDiff(changed);
  }
}
