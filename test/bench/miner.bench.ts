import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { BlockBuilder, MinerServer, type PendingTransactionSource, searchNonce } from "@cambium/miner";
import { bigintToFixedBytes, concatBytes, keccak256, utf8 } from "@cambium/primitives";
import { signTransaction, type Transaction } from "@cambium/types";

const network = NETWORKS.local;
const PENDING = 5000;
const ACCOUNTS = 10;
const ROUNDS = 9;
const REWARD = new Uint8Array(20).fill(1);

/** Plain transfers of the accounts that the local genesis gives coins to, in the order of their nonces. */
function transfers(count: number): Transaction[] {
  const keys = Array.from({ length: ACCOUNTS }, (_, i) => keccak256(utf8(i === 0 ? "cow" : `cow${i}`)));
  return Array.from({ length: count }, (_, i) => {
    const nonce = BigInt(Math.floor(i / ACCOUNTS));
    const to = keccak256(bigintToFixedBytes(BigInt(i), 4)).slice(12);
    const transaction = signTransaction({ nonce, gasPrice: 1n, gasLimit: 21_000n, to, value: 1n }, keys[i % ACCOUNTS]!);
    // A pool has already recovered the senders.
    void transaction.sender;
    return transaction;
  });
}

function builderOn(chain: Chain, transactions: readonly Transaction[]): BlockBuilder {
  const pool: PendingTransactionSource = { ordered: () => transactions, evict: () => undefined };
  return new BlockBuilder({ chain, pool }, { rewardAddress: REWARD, identity: "BENCH", timeBudget: 10_000 });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Milliseconds of a build, the median of several. */
function buildTime(builder: BlockBuilder): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    builder.build();
    return performance.now() - start;
  });
  return median(times);
}

/** Median time in milliseconds from the submission of a solution until its block is the best block. */
async function submitTimes(chain: Chain, builder: BlockBuilder): Promise<number> {
  const server = new MinerServer({ chain, builder });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await server.start();
    const { hashForMergedMining, target } = server.getWork();
    const coinbase = taggedCoinbase(hashForMergedMining);
    const time = Math.floor(Date.now() / 1000);
    const header = await searchNonce(canonicalParentHeader(transactionId(coinbase), time, 0), target);
    const start = performance.now();
    await server.submitBlock(concatBytes(header, Uint8Array.of(1), coinbase));
    times.push(performance.now() - start);
    server.stop();
  }
  return median(times);
}

export async function run(print: (name: string, value: number, unit: string) => void): Promise<void> {
  const chain = await openChain({ network, database: new MemoryDatabase() });
  const empty = builderOn(chain, []);
  const full = builderOn(chain, transfers(PENDING));
  print("template without transactions", buildTime(empty), "ms");
  print(`template with ${PENDING} pending`, buildTime(full), "ms");
  print("transactions in the template", full.build().transactions.length - 1, "");
  print("solution to best block, full blocks", await submitTimes(chain, full), "ms");
  print("solution to best block, empty blocks", await submitTimes(chain, empty), "ms");
  await chain.close();
}
