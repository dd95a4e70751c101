import { Block, crypto as hashes, Transaction } from "bitcoinjs-lib";
import type { SpentOutput } from "./script-check.js";

/** A transaction in a mined block, with its proof for the bridge. */
export interface Proof {
  raw: Buffer;
  height: number;
  tree: Buffer;
  coinbase?: { raw: Buffer; blockHash: Buffer; tree: Buffer; witnessRoot: Buffer; reserved: Buffer };
}

const NOTHING = Buffer.alloc(32);

/** A regtest parent chain, mined on demand on top of the bridge's first header. */
export class ParentChain {
  height = 0;
  private readonly transactions = new Map<string, Transaction>();

  constructor(
    private head: Buffer,
    /** Sends headers to the bridge. */
    private readonly deliver: (headers: Buffer[]) => Promise<unknown>,
  ) {}

  /** Returns the output that an input spends, if it is in this chain. */
  spent({ hash, index }: Transaction["ins"][number]): SpentOutput | undefined {
    return this.transactions.get(hash.toString("hex"))?.outs[index];
  }

  async mine(count: number, root: Buffer = NOTHING): Promise<void> {
    const headers = Array.from({ length: count }, (_, i) => this.mineOne(i === 0 ? root : NOTHING));
    this.height += count;
    for (let i = 0; i < count; i += 50) await this.deliver(headers.slice(i, i + 50));
  }

  private mineOne(root: Buffer): Buffer {
    const block = new Block();
    block.version = 1;
    block.prevHash = hashes.hash256(this.head);
    block.merkleRoot = root;
    block.bits = 0x207fffff;
    while (!block.checkProofOfWork()) block.nonce++;
    this.head = block.toBuffer(true);
    return this.head;
  }

  /** Mines a transaction three blocks deep, in a block that suits its kind of proof. */
  include(transaction: Transaction): Promise<Proof> {
    return transaction.hasWitnesses() ? this.includeWithWitness(transaction) : this.includeAlone(transaction);
  }

  /** Includes a transaction alone in its block, proved by its id. */
  private async includeAlone(transaction: Transaction): Promise<Proof> {
    const id = transaction.getHash();
    this.transactions.set(id.toString("hex"), transaction);
    await this.mine(3, id);
    return { raw: transaction.toBuffer(), height: this.height - 2, tree: leaf(id) };
  }

  /** Includes a transaction after a coinbase that commits to the witnesses, proved by its witness id. */
  private async includeWithWitness(transaction: Transaction): Promise<Proof> {
    const [id, witnessId] = [transaction.getHash(), transaction.getHash(true)];
    this.transactions.set(id.toString("hex"), transaction);
    const witnessRoot = hashes.hash256(Buffer.concat([NOTHING, witnessId]));
    const coinbase = new Transaction();
    coinbase.addInput(NOTHING, 0xffffffff, 0, Buffer.of(1, this.height & 0xff, this.height >> 8));
    const commitment = hashes.hash256(Buffer.concat([witnessRoot, NOTHING]));
    coinbase.addOutput(Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), commitment]), 0);
    const first = coinbase.getHash();
    await this.mine(1, hashes.hash256(Buffer.concat([first, id])));
    const [height, blockHash] = [this.height, Buffer.from(hashes.hash256(this.head)).reverse()];
    await this.mine(2);
    return {
      raw: transaction.toBuffer(),
      height,
      tree: pair(NOTHING, witnessId, 5),
      coinbase: {
        raw: coinbase.toBuffer(),
        blockHash,
        tree: pair(first, id, 3),
        witnessRoot: Buffer.from(witnessRoot).reverse(),
        reserved: NOTHING,
      },
    };
  }
}

/** Partial Merkle tree of a block with one transaction. */
function leaf(id: Buffer): Buffer {
  return Buffer.concat([Buffer.from("0100000001", "hex"), id, Buffer.from("0101", "hex")]);
}

/** Partial Merkle tree of a block with two transactions; the flags select the proved one. */
function pair(left: Buffer, right: Buffer, flags: number): Buffer {
  return Buffer.concat([Buffer.from("0200000002", "hex"), left, right, Buffer.of(1, flags)]);
}
