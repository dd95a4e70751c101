import { mkdirSync } from "node:fs";
import { openChain } from "@cambium/chain";
import { TABLES } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { databasePath, MemoryDatabase, openLevelDatabase, type Write } from "@cambium/database";
import { concatBytes, EMPTY_BYTES, fromHex, keccak256, numberToBytes, utf8 } from "@cambium/primitives";
import { Mine } from "@cambium/test-utils/mined-chains";
import { seededBytes } from "@cambium/test-utils/seeded-bytes";
import { signTransaction } from "@cambium/types";

/** Init code that deploys the bytes after its own twelve; two of these contain the length. */
const DEPLOY = fromHex("80600c6000396000f3");
/** Code that emits a log and increments its only cell. */
const COUNTER = fromHex("60006000a060005460010160005500");
/** Number of blocks with a contract of this many bytes, so that the state has some megabytes. */
const LARGE_CONTRACTS = 150;
const LARGE_BYTES = 16_000;

/**
 * Fills a data folder with a chain: contracts that make the state large, then transfers to new accounts, and calls of a
 * contract that logs.
 */
export async function mineOrigin(dataDir: string, blocks: number, largeContracts = LARGE_CONTRACTS): Promise<void> {
  const database = new MemoryDatabase();
  const chain = await openChain({ network: NETWORKS.local, database });
  const mine = new Mine(chain, "a", () => Date.now() / 1000);
  let nonce = 0n;
  const send = (to: Uint8Array, own: { data?: Uint8Array; value?: bigint }) => {
    const fields = { nonce: nonce++, gasPrice: 1n, gasLimit: to.length === 0 ? 6_000_000n : 100_000n, to, ...own };
    mine.transactions.push(signTransaction(fields, keccak256(utf8("cow"))));
  };
  send(EMPTY_BYTES, { data: deployment(COUNTER) });
  const counter = keccak256(concatBytes(fromHex("d694"), mine.transactions[0]!.sender!, fromHex("80"))).slice(12);
  await mine.block();
  for (let number = 2; number <= blocks; number++) {
    if (number < largeContracts) send(EMPTY_BYTES, { data: deployment(seededBytes(LARGE_BYTES).fill(0, 0, 1)) });
    else if (number % 9 === 0) send(keccak256(numberToBytes(number)).slice(12), { value: BigInt(number) });
    else if (number % 9 === 1) send(counter, {});
    await mine.block();
  }
  await chain.close();
  await store(database, dataDir);
}

async function store(database: MemoryDatabase, dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const writes: Write[] = [];
  for (const table of Object.values(TABLES)) {
    for await (const { key, value } of database.entries(table)) writes.push({ table, key, value });
  }
  const target = await openLevelDatabase(databasePath(dataDir), { create: true });
  await target.write(writes);
  await target.close();
}

function deployment(code: Uint8Array): Uint8Array {
  return concatBytes(fromHex("61"), Uint8Array.of(code.length >> 8, code.length & 255), DEPLOY, code);
}
