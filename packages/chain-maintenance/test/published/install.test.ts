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
    for (let level = 0; level < 24; level++) {
      const hash = keccak256(message);
      message = concatBytes(Uint8Array.of(0x4c), hash, hash, Uint8Array.of(100));
      nodes.push(message);
    }
    const block = await new Mine(await lenientChain()).changed({ stateRoot: keccak256(message) });
    const elements = [[[block.encode(), Uint8Array.of(2)]], [nodes, []]];
    await assert.rejects(install(dataOf(encodeRlp(elements))), /its nodes repeat too often/);
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
