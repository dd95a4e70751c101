import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, ChainError, openChain } from "@cambium/chain";
import { checkDatabase, repairDatabase } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { DatabaseError, openLevelDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { recordedBlocks } from "@cambium/test-utils/chains/chain-vectors";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { clone, copyWhileWriting, damage } from "./damage.js";

const network = NETWORKS.local;
const TRIALS = Number(process.env.TRIALS ?? 40);
/** Size in bytes, so small that a short chain has tables on two levels. */
const WRITE_BUFFER = 64 * 1024;
const COPIES = 8;
/** Number of a trial whose chain is completed again. */
const COMPLETED = 20;

/** Codes of refusals to open a database that `node-cli db repair` can mend. */
const REPAIRABLE = ["DATABASE_FILES", "DATABASE_READ", "DATABASE_DAMAGED"];

describe("a database that was copied while blocks were written, and damaged", function () {
  this.timeout(30 * 60_000);
  // The second chain ends on a side chain: it is shorter.
  const blocks = [...recordedBlocks("uncles-and-reorgs"), ...recordedBlocks("transfers").slice(0, 10)];
  const copies: string[] = [];
  let folder: string;
  let best: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-damage-"));
    const location = join(folder, "source");
    const database = await openLevelDatabase(location, { create: true, writeBufferSize: WRITE_BUFFER });
    const chain = await openChain({ network, database });
    const every = Math.ceil(blocks.length / COPIES);
    const copying: Promise<void>[] = [];
    for (const [index, bytes] of blocks.entries()) {
      await chain.import({ bytes, source: "file" });
      if ((index + 1) % every !== 0 && index + 1 !== blocks.length) continue;
      const copy = join(folder, `copy-${index}`);
      copies.push(copy);
      copying.push(copyWhileWriting(location, copy));
    }
    await Promise.all(copying);
    best = toHex(chain.best().hash);
    await chain.close();
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it(`opens at a complete block, or refuses with the command that repairs it, in each of ${TRIALS} trials`, async () => {
    const chance = random(SEED);
    const counts = { opened: 0, repaired: 0 };
    for (let trial = 0; trial < TRIALS; trial++) {
      const location = join(folder, `trial-${trial}`);
      clone(copies[Math.floor(chance() * copies.length)]!, location);
      const done = damage(location, chance);
      const what = `SEED=${SEED}, trial ${trial}: ${done.join(", ")}`;
      const refusal = await opened(location, (chain) => isSound(chain, what));
      if (refusal?.code === "DATABASE_MISSING") {
        // A copy made before any write has only the two files that name the others.
        assert.ok(!readdirSync(location).some((name) => /\.(log|ldb)$/.test(name)), `${what}: ${refusal.message}`);
        rmSync(location, { recursive: true });
        continue;
      }
      if (refusal !== undefined) {
        assert.ok(REPAIRABLE.includes(refusal.code), `${what}: ${refusal.message}`);
        const { replaced } = await repairDatabase({ network, location }).catch((cause) => {
          throw new Error(`${what}; repair: ${cause.message}`, { cause });
        });
        const again = await opened(location, (chain) => isSound(chain, `${what}; repaired`));
        assert.equal(again, undefined, `${what}; repaired: ${again?.message}`);
        if (replaced !== undefined) rmSync(replaced, { recursive: true });
      }
      counts[refusal === undefined ? "opened" : "repaired"]++;
      if (trial % COMPLETED === 0) assert.equal(await opened(location, (chain) => complete(chain)), undefined);
      rmSync(location, { recursive: true });
    }
    if (TRIALS >= COMPLETED) assert.ok(counts.opened > 0 && counts.repaired > 0, JSON.stringify(counts));
  });

  async function complete(chain: Chain): Promise<void> {
    for (const bytes of blocks) await chain.import({ bytes, source: "file" });
    assert.equal(toHex(chain.best().hash), best);
  }
});

/** Uses a chain, if its database opens. Otherwise resolves to the error. */
async function opened(
  location: string,
  use: (chain: Chain) => Promise<void>,
): Promise<DatabaseError | ChainError | undefined> {
  let chain: Chain | undefined;
  try {
    const database = await openLevelDatabase(location, { writeBufferSize: WRITE_BUFFER });
    try {
      chain = await openChain({ network, database });
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof ChainError) return error;
    throw error;
  }
  try {
    await use(chain);
  } finally {
    await chain.close();
  }
  return undefined;
}

async function isSound(chain: Chain, what: string): Promise<void> {
  const database = (chain as unknown as { held: Parameters<typeof checkDatabase>[0] }).held;
  const { problems } = await checkDatabase(database, network, { deep: true });
  assert.deepEqual(problems, [], what);
}
