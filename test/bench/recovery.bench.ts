import { availableParallelism } from "node:os";
import { SenderRecovery } from "@cambium/chain/testing";
import { NETWORKS, rulesAt } from "@cambium/config";
import { buildParentBlock, verifyProofOfWork } from "@cambium/merged-mining";
import { fastKeccak, fastSecp256k1, fromHex, keccak256, portableKeccak, portableSecp256k1 } from "@cambium/primitives";
import {
  Block,
  BlockHeader,
  genesisBlock,
  recoverSender,
  rewardTransaction,
  signTransaction,
  type Transaction,
  transactionsRoot,
} from "@cambium/types";

type Print = (name: string, value: number, unit: string) => void;

const network = NETWORKS.main;
const NUMBER = 8_000_000;
const KEY = fromHex("c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4");

/** Calls per second, after a short warm-up. */
function rate(call: () => void, seconds = 0.5): number {
  const until = (end: number): number => {
    let calls = 0;
    while (performance.now() < end) {
      call();
      calls++;
    }
    return calls;
  };
  until(performance.now() + 200);
  const start = performance.now();
  const calls = until(start + seconds * 1000);
  return (calls * 1000) / (performance.now() - start);
}

/**
 * Measures the work of a full node on every block before execution: recover, hash, decode, verify the proof of work.
 */
export async function run(print: Print): Promise<void> {
  benchRecovery(print);
  await benchThreads(print);
  benchKeccak(print);
  benchBlocks(print);
  benchProofOfWork(print);
}

function benchRecovery(print: Print): void {
  const transaction = transfer(0);
  const input = transaction.recoveryInput()!;
  print(
    "sender recovery",
    rate(() => recoverSender(input)),
    "/s",
  );
  const hash = input.subarray(0, 32);
  const signature = input.subarray(32, 96);
  for (const backend of [fastSecp256k1, portableSecp256k1]) {
    if (backend === undefined) continue;
    print(
      `key recovery, ${backend.name} backend`,
      rate(() => backend.recover(hash, signature, input[96]!)),
      "/s",
    );
  }
}

/** Recovers signers of queued blocks like an import, in one thread and in one for each core. */
async function benchThreads(print: Print): Promise<void> {
  const [transactions, blocks] = [60, 200];
  const bytes = blockOf(transactions).encode();
  for (const maxThreads of new Set([1, availableParallelism()])) {
    const recovery = new SenderRecovery({ maxThreads });
    const recoverAll = () =>
      Promise.all(Array.from({ length: blocks }, () => recovery.recover({ bytes, senders: undefined })));
    await recoverAll();
    const start = performance.now();
    await recoverAll();
    const seconds = (performance.now() - start) / 1000;
    await recovery.close();
    print(`signers of queued blocks, threads: ${maxThreads}`, (blocks * transactions) / seconds, "/s");
  }
}

function benchKeccak(print: Print): void {
  for (const length of [32, 100, 1000]) {
    const data = new Uint8Array(length).fill(7);
    for (const backend of [fastKeccak, portableKeccak]) {
      if (backend === undefined) continue;
      print(
        `keccak-256 of ${length} bytes, ${backend.name} backend`,
        rate(() => backend.keccak256(data)),
        "/s",
      );
    }
  }
}

function benchBlocks(print: Print): void {
  for (const count of [1, 60]) {
    const encoded = blockOf(count).encode();
    const decodes = rate(() => Block.decode(encoded, network));
    print(`block decodes, ${count} transactions, root checked`, decodes, "/s");
  }
  const header = blockOf(1).header.encode("full");
  print(
    "header decodes with block hash",
    rate(() => BlockHeader.decode(header, network).hash),
    "/s",
  );
}

function benchProofOfWork(print: Print): void {
  const hashForMergedMining = keccak256(Uint8Array.of(1));
  const otherTransactionIds = Array.from({ length: 2000 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)));
  const proof = buildParentBlock({ hashForMergedMining, difficulty: 1n, time: 0, otherTransactionIds });
  const input = { number: NUMBER, difficulty: 1n, hashForMergedMining, ...proof };
  const rules = rulesAt(network, NUMBER);
  print(
    "proof-of-work checks, 11 levels",
    rate(() => verifyProofOfWork(input, rules, network)),
    "/s",
  );
}

function transfer(nonce: number): Transaction {
  const to = new Uint8Array(20).fill(nonce & 0xff);
  const request = {
    nonce: BigInt(nonce),
    gasPrice: 60_000_000n,
    gasLimit: 21_000n,
    to,
    value: 10n ** 15n,
    chainId: 30,
  };
  return signTransaction(request, KEY);
}

/** A block of `count` transfers and the reward transaction. */
function blockOf(count: number): Block {
  const transactions = Array.from({ length: count }, (_, i) => transfer(i));
  transactions.push(rewardTransaction(NUMBER));
  const root = transactionsRoot(transactions, rulesAt(network, NUMBER));
  const genesis = genesisBlock(network, new Uint8Array(32)).header.fields();
  const fields = { ...genesis, number: NUMBER, transactionsRoot: root, ummRoot: new Uint8Array(0) };
  const mined = { parentChainHeader: new Uint8Array(80), parentChainCoinbase: new Uint8Array(200).fill(1) };
  return new Block(BlockHeader.create({ ...fields, ...mined }, network), transactions, []);
}
