import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase } from "@cambium/database";
import { concatBytes, encodeRlp, keccak256 } from "@cambium/primitives";
import { FailingDatabase } from "@cambium/test-utils/failing-database";
import { lenientChain, Mine } from "@cambium/test-utils/mined-chains";
import { vectorPath } from "@cambium/test-utils/vectors";
import { type ArchiveData, installPublishedState, openArchive, PublishedStateError } from "../../src/index.js";
import { ArchiveState } from "../../src/published/archive-state.js";
import { HashFile } from "../../src/published/hash-file.js";
import { HashIndex } from "../../src/published/hash-index.js";
import { parseIndex, signedIndex } from "../../src/published/signer-index.js";

const network = NETWORKS.local;
const good = readFileSync(vectorPath("published-state", "mini/v2.bin"));
const oldFormat = readFileSync(vectorPath("published-state", "mini/v1.bin"));
const zip = readFileSync(vectorPath("published-state", "bad-zip/good.zip"));

function dataOf(bytes: Uint8Array, chunk = bytes.length): ArchiveData {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  return { size: bytes.length, chunks: chunks() };
}

/** Returns bytes with one of them replaced. */
function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at]! ^= 0x41;
  return copy;
}

/** Returns the message of a node without a path, whose two children take `size` bytes. */
function parentOf(children: readonly Uint8Array[], size: number): Uint8Array {
  const long = size < 2 ** 16 ? [0xfd, size, size >> 8] : [0xfe, size, size >> 8, size >> 16, size >> 24];
  return concatBytes(
    ...[Uint8Array.of(0x4c), ...children.map(keccak256)],
    Uint8Array.from(size < 0xfd ? [size] : long),
  );
}

describe("installation of published state", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "published-state-"));
  });

  after(() => rmSync(folder, { recursive: true }));

  function install(data: ArchiveData, database: Database = new MemoryDatabase(), signal?: AbortSignal) {
    return installPublishedState(data, { network, database, folder, ...(signal && { signal }) });
  }

  /** Whether an archive is accepted; another error than a refusal is thrown. */
  async function isAccepted(data: () => ArchiveData | Promise<ArchiveData>): Promise<boolean> {
    try {
      await install(await data());
      return true;
    } catch (error) {
      if (!(error instanceof PublishedStateError)) throw error;
      return false;
    }
  }

  it("reads chunks of any length, and leaves no temporary files", async () => {
    for (const bytes of [good, oldFormat]) {
      for (const chunk of [1, 7, 4096]) assert.equal((await install(dataOf(bytes, chunk))).best.number, 8);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it("leaves a chain with genesis only if the disk is full after any batch, and can be repeated", async () => {
    for (let batches = 1; ; batches++) {
      const disk = new MemoryDatabase();
      const isComplete = await install(dataOf(good), new FailingDatabase(disk, batches)).then(
        () => true,
        () => false,
      );
      if (isComplete) return assert(batches > 3);
      const chain = await openChain({ network, database: new MemoryDatabase(disk) });
      assert.equal(chain.best().header.number, 0);
      assert.equal((await install(dataOf(good), disk)).best.number, 8);
    }
  });

  it("names its temporary file if the disk is full", async function () {
    if (!existsSync("/dev/full")) this.skip();
    const path = join(folder, "published-nodes.tmp");
    symlinkSync("/dev/full", path);
    await assert.rejects(install(dataOf(good)), { code: "ENOSPC", path });
    assert.deepEqual(readdirSync(folder), []);
  });

  it("can be aborted", async () => {
    const database = new MemoryDatabase();
    await assert.rejects(install(dataOf(good), database, AbortSignal.abort()), { name: "AbortError" });
    assert.equal((await openChain({ network, database })).best().header.number, 0);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("refuses data that are cut or changed at any place, with a typed error", async () => {
    for (const bytes of [good, oldFormat]) {
      for (let at = 0; at < bytes.length; at += 61) {
        assert.equal(await isAccepted(() => dataOf(bytes.subarray(0, at))), false, `cut at ${at}`);
        assert.equal(await isAccepted(() => dataOf(changed(bytes, at))), false, `changed at ${at}`);
      }
    }
  });

  it("refuses a state whose few nodes refer to each other as if they were millions", async () => {
    const path = new Uint8Array(20).fill(0xaa);
    // Flags, length of the path in bits, path, value.
    let message = concatBytes(Uint8Array.of(0x50, 160 - 128), path, new Uint8Array(32).fill(1));
    const nodes = [message];
    let size = message.length;
    for (let level = 0; level < 24; level++) {
      message = parentOf([message, message], 2 * size);
      size = 2 * size + message.length;
      nodes.push(message);
    }
    const block = await new Mine(await lenientChain()).changed({ stateRoot: keccak256(message) });
    const elements = [[[block.encode(), Uint8Array.of(2)]], [nodes, []]];
    await assert.rejects(install(dataOf(encodeRlp(elements))), /its nodes repeat too often/);
  });

  it("refuses a state whose nodes refer to one value so often that it fills the disk", async () => {
    const value = new Uint8Array(4_000_000).fill(7);
    // Flags for a long value, path, hash and length of the value.
    const leaf = (at: number) =>
      concatBytes(
        ...[Uint8Array.of(0x70, 161 - 128), Uint8Array.of(at), new Uint8Array(20), keccak256(value)],
        Uint8Array.of(value.length >> 16, (value.length >> 8) & 0xff, value.length & 0xff),
      );
    let level = Array.from({ length: 128 }, (_, at) => leaf(at));
    const nodes = [...level];
    let size = level[0]!.length + value.length;
    while (level.length > 1) {
      level = Array.from({ length: level.length / 2 }, (_, at) => parentOf(level.slice(2 * at, 2 * at + 2), 2 * size));
      size = 2 * size + level[0]!.length;
      nodes.push(...level);
    }
    const files = ["nodes", "values"].map((name) => new HashFile(join(folder, name))) as [HashFile, HashFile];
    const state = new ArchiveState(...files);
    for (const node of nodes) await state.addNode(node);
    await state.addValue(value);
    await state.finish();
    await state.close();
    let bytes = 0;
    const read = () => {
      for (const { content } of state.rebuild(keccak256(level[0]!), 0)) bytes += content.length;
    };
    assert.throws(read, /its values repeat too often/);
    assert(bytes > 250_000_000 && bytes < 2 ** 28 + 2 ** 22);
    for (const file of files) file.close();
  });

  /** A state of values that fill several batches of the thread that hashes, then other elements. */
  function manyValues(...others: Uint8Array[]): Uint8Array {
    const values = Array.from({ length: 2_000 }, (_, at) => new Uint8Array(500 + at).fill(at));
    return encodeRlp([[], [[], [...values, ...others]]]);
  }

  it("names the first fault of a large archive, and ends its thread", async () => {
    await assert.rejects(install(dataOf(manyValues(new Uint8Array(32)))), /a value of 32 bytes/);
    const cut = manyValues(new Uint8Array(100));
    cut[cut.length - 101] = 0xb9;
    await assert.rejects(install(dataOf(cut)), /an element is longer than what contains it/);
    await assert.rejects(install(dataOf(manyValues())), /no block above genesis/);
    await assert.rejects(install(dataOf(manyValues()), undefined, AbortSignal.abort()), { name: "AbortError" });
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => name === "MessagePort"),
      [],
    );
    assert.deepEqual(readdirSync(folder), []);
  });

  it("refuses a block with too many RLP items, before it decodes them", async () => {
    const many = new Array<Uint8Array>(2 ** 18).fill(Uint8Array.of(1));
    const dataWith = (element: Parameters<typeof encodeRlp>[0]) => dataOf(encodeRlp([[element], [[], []]]));
    await assert.rejects(install(dataWith(many)), /a list of more than block and total difficulty/);
    for (const block of [
      [[], many, []],
      [[], [], [many]],
      [many, [], []],
    ]) {
      await assert.rejects(install(dataWith([encodeRlp(block), Uint8Array.of(2)])), {
        details: { code: "ARCHIVE_LIMIT", what: "RLP items in a block", maximum: 2 ** 18 },
      });
    }
  });

  it("finds records by hashes that begin alike, anywhere in a file of 32 GiB", () => {
    const index = new HashIndex();
    const hashes = Array.from({ length: 5_000 }, (_, at) =>
      concatBytes(Uint8Array.of(at & 3, 0, 0, at & 7), keccak256(Uint8Array.of(at >> 8, at))),
    );
    const offsetOf = (at: number) => 2 ** 35 - 16 * (at + 2);
    for (const [at, hash] of hashes.entries()) index.add(hash, offsetOf(at));
    for (const [at, hash] of hashes.entries()) {
      const slot = index.find(hash, (offset) => offset === offsetOf(at))!;
      for (let i = 0; i < 2; i++) index.mark(slot);
      assert.equal(index.offsetAt(slot), offsetOf(at));
    }
    assert.deepEqual([index.size, index.marked], [5_000, 5_000]);
    assert.equal(
      index.find(hashes[0]!, () => false),
      undefined,
    );
  });

  it("ignores entries of an index with an endless path or number", () => {
    const privateKey = keccak256(Uint8Array.of(1));
    const archive = { height: 8, date: "2026-11-28", hash: keccak256(Uint8Array.of(2)) };
    const textOf = (path: string) => signedIndex(undefined, { ...archive, path }, privateKey);
    assert.equal(parseIndex(textOf("a".repeat(1024))).length, 1);
    assert.equal(parseIndex(textOf("a".repeat(1025))).length, 0);
    assert.equal(parseIndex(textOf("a").replace('"r": "', `$&${"00".repeat(1_000_000)}`)).length, 0);
  });

  it("refuses a zip file that is cut anywhere, and never more than typed if a byte is changed", async () => {
    const path = join(folder, "archive.zip");
    const written = (bytes: Uint8Array) => {
      writeFileSync(path, bytes);
      return openArchive(path);
    };
    for (let at = 0; at < zip.length; at += 61) {
      assert.equal(await isAccepted(() => written(zip.subarray(0, at))), false, `cut at ${at}`);
    }
    // Some bytes, such as the time of the entry, have no meaning.
    for (let at = 0; at < zip.length; at += at < 64 || at > zip.length - 128 ? 1 : 61) {
      await isAccepted(() => written(changed(zip, at)));
    }
    rmSync(path);
  });
});
