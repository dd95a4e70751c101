import { crypto as hashes, Transaction } from "bitcoinjs-lib";
import type { Proof } from "../e2e/parent-chain.js";
import type { BitcoinNode } from "./bitcoin-node.js";

const HEADER_LENGTH = 80;

interface VerboseBlock {
  hash: string;
  height: number;
  tx: { txid: string; hash: string; hex: string }[];
}

/**
 * Returns the proof of a mined transaction for the bridge, from the Bitcoin node's block. `witness`: proven by its
 * witness id, if it has a witness.
 */
export async function proofFor(bitcoin: BitcoinNode, txid: string, blockHash: string, witness = true): Promise<Proof> {
  const block: VerboseBlock = await bitcoin.call("getblock", blockHash, 2);
  const index = block.tx.findIndex((transaction) => transaction.txid === txid);
  const transaction = Transaction.fromHex(block.tx[index]!.hex);
  const { height } = block;
  if (!witness || !transaction.hasWitnesses()) {
    return { raw: stripped(transaction), height, tree: await treeOf(bitcoin, txid, blockHash) };
  }
  const witnessIds = block.tx.map(({ hash }, i) => (i === 0 ? Buffer.alloc(32) : internal(hash)));
  const coinbase = Transaction.fromHex(block.tx[0]!.hex);
  return {
    raw: transaction.toBuffer(),
    height,
    tree: partialTree(witnessIds, index),
    coinbase: {
      raw: stripped(coinbase),
      blockHash: Buffer.from(blockHash, "hex"),
      tree: await treeOf(bitcoin, block.tx[0]!.txid, blockHash),
      witnessRoot: merkleLevels(witnessIds).at(-1)![0]!.reverse(),
      reserved: coinbase.ins[0]!.witness[0]!,
    },
  };
}

/** The node proves transaction ids only; its answer begins with the header. */
async function treeOf(bitcoin: BitcoinNode, txid: string, blockHash: string): Promise<Buffer> {
  const proof: string = await bitcoin.call("gettxoutproof", [txid], blockHash);
  return Buffer.from(proof, "hex").subarray(HEADER_LENGTH);
}

function stripped(transaction: Transaction): Buffer {
  const bare = transaction.clone();
  bare.stripWitnesses();
  return bare.toBuffer();
}

function internal(hash: string): Buffer {
  return Buffer.from(hash, "hex").reverse();
}

/** Levels of a Merkle tree, leaves first. */
function merkleLevels(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]];
  for (let level = levels[0]!; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) =>
      hashes.hash256(Buffer.concat([below[2 * i]!, below[2 * i + 1] ?? below[2 * i]!])),
    );
  }
  return levels;
}

/** The tree (BIP-37) that proves one leaf. Blocks of the tests have fewer than 253 hashes on a branch. */
function partialTree(leaves: readonly Buffer[], wanted: number): Buffer {
  const levels = merkleLevels(leaves);
  const shown: Buffer[] = [];
  const flags: boolean[] = [];
  const visit = (height: number, position: number): void => {
    const hash = levels[height]![position];
    if (hash === undefined) return;
    const isAbove = wanted >> height === position;
    flags.push(isAbove);
    if (height === 0 || !isAbove) return void shown.push(hash);
    visit(height - 1, 2 * position);
    visit(height - 1, 2 * position + 1);
  };
  visit(levels.length - 1, 0);
  const bits = Buffer.alloc(Math.ceil(flags.length / 8));
  for (const [i, flag] of flags.entries()) if (flag) bits[i >> 3]! |= 1 << (i & 7);
  const count = Buffer.alloc(4);
  count.writeUInt32LE(leaves.length);
  return Buffer.concat([count, Buffer.of(shown.length), ...shown, Buffer.of(bits.length), bits]);
}
