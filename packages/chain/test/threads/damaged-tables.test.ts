import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { DatabaseError, openLevelDatabase } from "@cambium/database";
import { CambiumError } from "@cambium/primitives";
import { recordedBlocks } from "@cambium/test-utils/chains/chain-vectors";
import { Block } from "@cambium/types";
import { ThreadedChain } from "../../src/index.js";
import { DamageSearch } from "../../src/threads/damage-search.js";

const network = NETWORKS.local;
/** Options under which tables contain their values unchanged. */
const LEVEL = { compression: false };
const HALF = 40;
/** Shorter values would be found elsewhere too. */
const LEAST_BYTES = 8;

describe("a table that is damaged while the node runs", () => {
  const blocks = recordedBlocks("contracts");
  let location: string;
  let chain: ThreadedChain;
  let states: Uint8Array[];
  let failures: Error[];

  beforeEach(async () => {
    location = mkdtempSync(join(tmpdir(), "cambium-damaged-"));
    const open = () =>
      ThreadedChain.open({ network, location, level: LEVEL, onFailure: (error) => void failures.push(error) });
    chain = await open();
    for (const bytes of blocks.slice(0, HALF)) await chain.import({ bytes, source: "file" });
    await chain.close();
    // Opening it moves the log into tables.
    const database = await openLevelDatabase(location, LEVEL);
    states = [];
    for await (const { value } of database.entries(TABLES.flatState)) states.push(value.slice());
    await database.close();
    failures = [];
    chain = await open();
  });

  afterEach(async () => {
    await chain.close();
    rmSync(location, { recursive: true });
  });

  /** Changes the last byte of all copies of some bytes in tables. Returns the names of the tables. */
  function damage(wanted: Uint8Array): string[] {
    const isDamaged = (name: string): boolean => {
      const path = join(location, name);
      const bytes = readFileSync(path);
      const file = openSync(path, "r+");
      let at = bytes.indexOf(wanted);
      const isFound = at >= 0;
      for (; at >= 0; at = bytes.indexOf(wanted, at + 1)) {
        const last = at + wanted.length - 1;
        writeSync(file, Uint8Array.of(bytes[last]! ^ 1), 0, 1, last);
      }
      closeSync(file);
      return isFound;
    };
    return readdirSync(location).filter((name) => name.endsWith(".ldb") && isDamaged(name));
  }

  async function mustStop(files: readonly string[]): Promise<void> {
    const next = () => chain.import({ bytes: blocks[HALF]!, source: "gossip" });
    await assert.rejects(next, (error: unknown) => {
      assert.ok(error instanceof DatabaseError && error.details.code === "DATABASE_FILES", String(error));
      assert.ok(files.includes(error.details.file));
      return true;
    });
    assert.equal(failures.length, 1);
  }

  it("stops the import, instead of making a block that reads its state invalid", async () => {
    const files = states.filter(({ length }) => length >= LEAST_BYTES).flatMap(damage);
    await mustStop(files);
  });

  it("stops the import, instead of losing the best block", async () => {
    await mustStop(damage(chain.best().hash));
  });

  it("shows no other header than the one with a hash", async () => {
    const { header } = Block.decode(blocks[HALF / 2]!, network);
    const isDamaged = (error: unknown) => error instanceof CambiumError && error.code === "DATABASE_DAMAGED";
    damage(header.stateRoot);
    assert.throws(() => chain.headerByHash(header.hash), isDamaged);
  });
});

describe("a search for damage", () => {
  const INVALID = { kind: "invalid", fault: { code: "STATE_ROOT" } } as never;

  it("reads the database at most once in six hours, whatever others send", async () => {
    let searches = 0;
    let hours = 0;
    const search = new DamageSearch(
      async () => void searches++,
      () => hours * 3_600_000,
    );
    const counts: number[] = [];
    for (hours = 0; hours < 13; hours++) {
      assert.equal(await search.explain(Promise.resolve(INVALID), "gossip"), INVALID);
      counts.push(searches);
    }
    assert.deepEqual(counts, [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3]);
  });

  it("keeps one block of gossip waiting, not all places for them", async () => {
    let end = () => {};
    const search = new DamageSearch(() => new Promise((resolve) => (end = resolve)));
    const explain = (source: "gossip" | "sync") => search.explain(Promise.resolve(INVALID), source);
    const first = explain("gossip");
    const downloaded = explain("sync");
    const isUndecided = (error: unknown) => error instanceof CambiumError && error.code === "UNDECIDED";
    await assert.rejects(explain("gossip"), isUndecided);
    end();
    assert.deepEqual(await Promise.all([first, downloaded, explain("gossip")]), [INVALID, INVALID, INVALID]);
  });
});
