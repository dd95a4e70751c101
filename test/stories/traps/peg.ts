import { encodeUtxos, scriptHash, scriptHashOutput, sortMembers, type Utxo } from "@cambium/bridge";
import { type FederationFormat, NETWORKS, rulesAt } from "@cambium/config";
import type { StoryStart } from "@cambium/conformance";
import { cellAddress } from "@cambium/conformance";
import {
  concatBytes,
  encodeRlp,
  fromHex,
  keccak256,
  numberToBytes,
  publicKeyToAddress,
  secp256k1,
  utf8,
} from "@cambium/primitives";
import { Block, crypto as hashes, Transaction } from "bitcoinjs-lib";
import { AUTHORIZERS, aliasesOf, type PegStory, type Signer } from "../peg-story.js";

// Writes of stories about the bridge into its cells: federators' keys are unknown and parent blocks cannot be mined.

export type Patch = [Uint8Array, Uint8Array];
export const SATOSHI = 10n ** 10n;
export const COIN = 100_000_000;

export interface Keys {
  btc: Uint8Array;
  rsk: Uint8Array;
  mst: Uint8Array;
}

export function sameKeys(key: Uint8Array): Keys {
  return { btc: key, rsk: key, mst: key };
}

export function membersOf(signers: readonly Signer[]): Keys[] {
  return signers.map(({ compressed }) => sameKeys(compressed));
}

export interface FederationCell {
  members: readonly Keys[];
  format?: FederationFormat;
  /** Height of its creation. */
  created: number;
  role?: "new" | "old";
  /** Whether the cell has the form before RSKIP-123, with one key per member. */
  isPlain?: boolean;
}

export function federationPatches(federation: FederationCell): Patch[] {
  const { members, format = 1000, created, role = "new", isPlain = false } = federation;
  const items = sortMembers(members).map(({ btc, rsk, mst }) => (isPlain ? btc : encodeRlp([btc, rsk, mst])));
  const cell = encodeRlp([numberToBytes(1_500_000_000_000), numberToBytes(created), items]);
  const patches: Patch[] = [[cellAddress(`${role}Federation`), cell]];
  if (!isPlain) patches.push([cellAddress(`${role}FederationFormatVersion`), encodeRlp(numberToBytes(format))]);
  return patches;
}

export function pendingPatches(members: readonly Keys[]): Patch[] {
  return [
    [cellAddress("pendingFederation"), encodeRlp(sortMembers(members).map(({ btc, rsk, mst }) => [btc, rsk, mst]))],
    [cellAddress("pendingFederationFormatVersion"), encodeRlp(numberToBytes(1000))],
  ];
}

/** Output script of a federation at the story's height. */
export function outputOf(story: PegStory, { members, format = 1000, created }: FederationCell): Buffer {
  const federation = { format, creationTimeMillis: 0n, creationBlock: created, members: sortMembers(members) };
  const rules = rulesAt(story.config, story.number);
  return Buffer.from(scriptHashOutput(scriptHash(federation, story.config, rules)));
}

export function coins(script: Uint8Array, values: readonly number[]): Uint8Array {
  return encodeUtxos(
    values.map((value, i): Utxo => {
      return { txid: keccak256(utf8(`coin ${i}`)), index: i, value: BigInt(value), script, height: 0, coinbase: false };
    }),
  );
}

/** The address of a compressed key. */
export function addressOf(compressed: Uint8Array): Uint8Array {
  return publicKeyToAddress(secp256k1.decompress(compressed)!);
}

/** Aliases of a role's first authorizers. */
export function authorizers(role: keyof typeof AUTHORIZERS, count: number): StoryStart["aliases"] {
  const signers = AUTHORIZERS[role].slice(0, count);
  return aliasesOf(NETWORKS.main).filter(([by]) => signers.includes(by));
}

/** A transaction whose single input has this script, which the bridge does not verify. */
export function spending(
  script: Uint8Array,
  outputs: readonly (readonly [Uint8Array, number])[],
  salt = 1,
): Transaction {
  const transaction = new Transaction();
  transaction.addInput(Buffer.from(keccak256(utf8(`spent ${salt}`))), 0, undefined, Buffer.from(script));
  for (const [output, value] of outputs) transaction.addOutput(Buffer.from(output), value);
  return transaction;
}

const SIGNATURE = new Uint8Array(71).fill(0x30);

/** Input script of a payment by the owner of a public key. */
export function byKey(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(71), SIGNATURE, Uint8Array.of(publicKey.length), publicKey);
}

export interface ParentBlocks {
  /** Height of the transaction's block. */
  height: number;
  /** Whether blocks are found by an index of heights (RSKIP-199); otherwise they are linked. */
  isIndexed: boolean;
  /** Length of the chain work in bytes: 32 from RSKIP-434 on. */
  workBytes?: 12 | 32;
}

const CONFIRMATIONS = 100;

/** The cells of a block with this Merkle root and of those that confirm it. */
export function parentPatches(root: Uint8Array, { height, isIndexed, workBytes = 12 }: ParentBlocks): Patch[] {
  const heights = Array.from({ length: CONFIRMATIONS }, (_, i) => height + i);
  let previous: Uint8Array = Buffer.alloc(32, 7);
  const stored = (isIndexed ? [height, height + CONFIRMATIONS - 1] : heights).map((at): Patch => {
    const block = new Block();
    block.version = 0x20000000;
    block.prevHash = Buffer.from(previous);
    block.merkleRoot = Buffer.from(at === height ? root : Buffer.alloc(32, 9));
    block.timestamp = 1_450_000_000 + at * 600;
    block.bits = 0x1d00ffff;
    const header = block.toBuffer(true);
    previous = hashes.hash256(header);
    return [Buffer.from(previous).reverse(), storedBlock(header, at, workBytes)];
  });
  const [[hash], head] = [stored[0]!, stored.at(-1)!];
  const index: Patch[] = isIndexed ? [[cellAddress(`btcBlockHeight-${height}`), encodeRlp(hash)]] : [];
  return [...stored, ...index, [cellAddress("blockStoreChainHead"), head[1]]];
}

export function storedBlock(header: Uint8Array, height: number, workBytes: 12 | 32): Uint8Array {
  const work = new Uint8Array(workBytes);
  work[0] = 1;
  work.set(numberToBytes(height), work.length - numberToBytes(height).length);
  const position = new Uint8Array(4);
  new DataView(position.buffer).setUint32(0, height);
  return concatBytes(work, position, header);
}

/** Proof of a block that holds one transaction. */
export function treeOf(transaction: Transaction): Uint8Array {
  return concatBytes(fromHex("0100000001"), transaction.getHash(), fromHex("0101"));
}

/** Mines a block that writes the cells, then registers a transaction. */
export function register(
  story: PegStory,
  by: Signer,
  transaction: Transaction,
  blocks: ParentBlocks,
  patches: readonly Patch[] = [],
): void {
  const args = [transaction.toBuffer(), BigInt(blocks.height), treeOf(transaction)];
  story.call(by, "registerBtcTransaction(bytes,int256,bytes)", args);
  story.mine({ patches: [...patches, ...parentPatches(transaction.getHash(), blocks)] });
}
