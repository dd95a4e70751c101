import { createChainEvm, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { keccak256, numberToBytes, publicKeyToAddress, secp256k1 } from "@cambium/primitives";
import { type PoolChain, TransactionPool } from "@cambium/txpool";
import { signTransaction, Transaction } from "@cambium/types";

type Print = (name: string, value: number, unit: string) => void;

const ACCOUNTS = 500;
const SLOTS = 16;
const KEYS = Array.from({ length: ACCOUNTS }, (_, i) => keccak256(numberToBytes(i + 1)));

/**
 * Measures the cost of admitting a transaction to the pool from its bytes, on one core, and of ordering for a block
 * builder.
 */
export async function run(print: Print): Promise<void> {
  const chain = await fundedChain();
  const encoded = offers();
  const decoding = (bytes: Uint8Array) => Transaction.decode(bytes);
  print("admissions, decoding and recovery included", admissionRate(chain, encoded, decoding), "/s");
  const recovered = encoded.map(decoding);
  for (const transaction of recovered) transaction.sender;
  print(
    "admissions, senders known",
    admissionRate(chain, recovered, (known) => known),
    "/s",
  );
  print("order of 5000 pending", orderTime(chain, recovered.slice(0, 5000)), "ms");
  await chain.close();
}

/** A chain in memory whose genesis funds every account. */
function fundedChain() {
  const accounts = KEYS.map((key) => ({
    address: publicKeyToAddress(secp256k1.publicKey(key)),
    balance: 10n ** 20n,
  }));
  const { genesis } = NETWORKS.local;
  const network = { ...NETWORKS.local, genesis: { ...genesis, accounts: [...genesis.accounts, ...accounts] } };
  return openChain({ network, database: new MemoryDatabase() });
}

/** Transfers of all accounts in turn, at different gas prices. */
function offers(): Uint8Array[] {
  const encoded: Uint8Array[] = [];
  const to = new Uint8Array(20).fill(7);
  for (let nonce = 0; nonce < SLOTS; nonce++) {
    for (const [i, key] of KEYS.entries()) {
      const gasPrice = BigInt(1 + ((i * 7919 + nonce * 104_729) % 1000));
      const request = { nonce: BigInt(nonce), gasPrice, gasLimit: 21_000n, to, value: 1n, chainId: 33 };
      encoded.push(signTransaction(request, key).encoded);
    }
  }
  return encoded;
}

function poolOver(chain: PoolChain): TransactionPool {
  return new TransactionPool({ chain, evm: createChainEvm(chain.network), now: () => 0 });
}

function admissionRate<T>(chain: PoolChain, offered: readonly T[], read: (offer: T) => Transaction): number {
  const pool = poolOver(chain);
  const start = performance.now();
  for (const offer of offered) pool.add(read(offer), { local: false });
  const seconds = (performance.now() - start) / 1000;
  if (pool.counts().pending !== offered.length) throw new Error("not all were admitted");
  pool.close();
  return offered.length / seconds;
}

/** Average time in milliseconds to order the pool after a change. */
function orderTime(chain: PoolChain, transactions: readonly Transaction[]): number {
  const pool = poolOver(chain);
  pool.addAll(transactions, { local: false });
  const last = transactions.at(-1)!;
  const rounds = 20;
  let time = 0;
  for (let i = 0; i < rounds; i++) {
    pool.evict([last.hash], "dropped");
    pool.add(last, { local: false });
    const start = performance.now();
    pool.ordered();
    time += performance.now() - start;
  }
  pool.close();
  return time / rounds;
}
