import { rulesAt } from "@cambium/config";
import {
  canonicalParentHeader,
  checkTag,
  coinbaseId,
  compactProof,
  compressCoinbase,
  decodeParentHeader,
  merkleBranch,
  parentHeaderHash,
  partialTreeOfBranch,
  proofOfWorkTarget,
  sha256,
  splitCoinbase,
  TAG,
  taggedCoinbase,
  transactionId,
  verifyProofOfWork,
} from "@cambium/merged-mining";
import { bytesToNumber, fromHex, keccak256, lastIndexOfBytes, reverseBytes, toHex } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import type { CaseResult } from "../interface.js";
import { expectEqual, networkWithRules, runCase } from "./checks.js";
import { checkMerkleProofs } from "./proofs.js";

/** A worked example from template to block (`spec/03 §9`). */
export interface WorkedExample {
  baseHeaderRlp: string;
  baseHash: string;
  forkDetectionData: string;
  hashForMergedMining: string;
  difficulty: string;
  target: string;
  coinbaseTx: string;
  coinbaseLength: number;
  tagOffset: number;
  compressedCoinbase: string;
  byteCount: number;
  midstate: string;
  tail: string;
  tagPositionInTail: number;
  bytesAfterHash: number;
  coinbaseFirstHash: string;
  coinbaseTxIdInternal: string;
  coinbaseTxIdDisplay: string;
  txIdsInternal: readonly string[];
  levels: readonly (readonly string[])[];
  branchInternal: readonly string[];
  merkleRootInternal: string;
  compactProof: string;
  partialMerkleTree: string;
  nonce: number;
  parentChainHeader: string;
  parentChainHashDisplay: string;
  fullHeaderRlp: string;
  hashPreimage: string;
  blockHash: string;
  submitPartialMerkleParams: readonly [string, string, string, string, string];
  submitTransactionsParams: readonly [string, string, string, string];
}

/** Network with the rules of the example (`spec/03 §9`). */
const network = networkWithRules({ RSKIP92: true, RSKIP98: true, RSKIP110: true, RSKIP180: true, RSKIPUMM: true });

export function* runWorkedExample(example: WorkedExample): Iterable<CaseResult> {
  yield runCase("template", () => checkTemplate(example));
  yield runCase("coinbase", () => checkCoinbase(example));
  yield runCase("Merkle tree", () => checkTree(example));
  yield runCase("parent header", () => checkParentHeader(example));
  yield runCase("block", () => checkBlock(example));
  yield runCase("submission with a partial tree", () => checkBranchSubmission(example));
  yield runCase("submission with transaction ids", () => checkIdsSubmission(example));
}

/** The header of the example before it is mined. */
function template(example: WorkedExample): BlockHeader {
  const mined = BlockHeader.decode(fromHex(example.fullHeaderRlp), network);
  const fields = { ...mined.fields(), parentChainHeader: null, merkleProof: null, parentChainCoinbase: null };
  return BlockHeader.create(fields, network, fromHex(example.forkDetectionData));
}

function checkTemplate(example: WorkedExample): void {
  const header = template(example);
  expectEqual("base", header.encode("mergedMining"), example.baseHeaderRlp);
  expectEqual("base hash", keccak256(header.encode("mergedMining")), example.baseHash);
  expectEqual("fork-detection data", header.forkDetectionData, example.forkDetectionData);
  expectEqual("hash for merged mining", header.hashForMergedMining, example.hashForMergedMining);
  expectEqual("difficulty", header.difficulty, example.difficulty);
  expectEqual("target", hex256(proofOfWorkTarget(header.difficultyValue)), example.target);
}

function checkCoinbase(example: WorkedExample): void {
  const coinbase = fromHex(example.coinbaseTx);
  expectEqual("length", coinbase.length, example.coinbaseLength);
  expectEqual("tag offset", lastIndexOfBytes(coinbase, TAG), example.tagOffset);
  expectEqual("first hash", sha256(coinbase), example.coinbaseFirstHash);
  expectEqual("compressed", compressCoinbase(coinbase), example.compressedCoinbase);
  const parts = splitCoinbase(fromHex(example.compressedCoinbase));
  expectEqual("byte count", parts.byteCount, example.byteCount);
  expectEqual("midstate", parts.midstate, example.midstate);
  expectEqual("tail", parts.tail, example.tail);
  checkTag(parts.tail, fromHex(example.hashForMergedMining));
  const position = lastIndexOfBytes(parts.tail, TAG);
  expectEqual("tag position", position, example.tagPositionInTail);
  expectEqual("bytes after the hash", parts.tail.length - position - TAG.length - 32, example.bytesAfterHash);
  expectEqual("id", coinbaseId(parts), example.coinbaseTxIdInternal);
  expectEqual("id in display order", reverseBytes(transactionId(coinbase)), example.coinbaseTxIdDisplay);
}

function checkTree(example: WorkedExample): void {
  checkMerkleProofs({ ...example, rootInternal: example.merkleRootInternal });
  expectEqual("branch", merkleBranch(example.txIdsInternal.map(fromHex)).siblings.map(toHex), example.branchInternal);
  for (const level of example.levels) {
    expectEqual("root from a level", merkleBranch(level.map(fromHex)).root, example.merkleRootInternal);
  }
}

function checkParentHeader(example: WorkedExample): void {
  const header = fromHex(example.parentChainHeader);
  const { merkleRoot, time, nonce } = decodeParentHeader(header);
  expectEqual("nonce", nonce, example.nonce);
  expectEqual("Merkle root", merkleRoot, example.merkleRootInternal);
  expectEqual("rebuilt header", canonicalParentHeader(merkleRoot, time, nonce), example.parentChainHeader);
  expectEqual("hash", reverseBytes(parentHeaderHash(header)), example.parentChainHashDisplay);
}

function checkBlock(example: WorkedExample): void {
  const header = BlockHeader.decode(fromHex(example.fullHeaderRlp), network);
  expectEqual("encoding", header.encode("full"), example.fullHeaderRlp);
  expectEqual("hashed bytes", header.encode("hash"), example.hashPreimage);
  expectEqual("hash", header.hash, example.blockHash);
  expectEqual("hash for merged mining", header.hashForMergedMining, example.hashForMergedMining);
  verifyProofOfWork(header, rulesAt(network, header.number), network);
  const mined = template(example).with({
    parentChainHeader: fromHex(example.parentChainHeader),
    merkleProof: fromHex(example.compactProof),
    parentChainCoinbase: fromHex(example.compressedCoinbase),
  });
  expectEqual("mined template", mined.encode("full"), example.fullHeaderRlp);
}

/** Block hash, header, coinbase, branch of the coinbase in internal order, number of transactions (hex). */
function checkBranchSubmission(example: WorkedExample): void {
  const [, header, coinbase, branch, count] = example.submitPartialMerkleParams;
  const hashes = branch.split(" ").map(fromHex);
  expectEqual("header", header, example.parentChainHeader);
  expectEqual("compressed", compressCoinbase(fromHex(coinbase)), example.compressedCoinbase);
  expectEqual("coinbase id", hashes[0], example.coinbaseTxIdInternal);
  expectEqual("compact proof", compactProof(hashes.slice(1)), example.compactProof);
  expectEqual("partial tree", partialTreeOfBranch(hashes, Number.parseInt(count, 16)), example.partialMerkleTree);
}

/** Block hash, header, coinbase, all transaction ids in display order. */
function checkIdsSubmission(example: WorkedExample): void {
  const [, header, coinbase, ids] = example.submitTransactionsParams;
  const internal = ids.split(" ").map((id) => reverseBytes(fromHex(id)));
  expectEqual("header", header, example.parentChainHeader);
  expectEqual("coinbase id", transactionId(fromHex(coinbase)), toHex(internal[0]!));
  expectEqual("compact proof", compactProof(merkleBranch(internal).siblings), example.compactProof);
}

/** `eth_getWork` and `eth_submitWork` mapped to merged mining (`spec/03 §8.5`). */
export interface GetWorkMapping {
  getWork: readonly [string, string, string];
  canonicalCoinbase: string;
  coinbaseTxIdInternal: string;
  compressedCoinbase: string;
  submitWork: readonly [string, string, string];
  parentChainHeader: string;
  merkleProof: string;
  blockHash: string;
}

/** `example` has the template that the mapping is based on. */
export function* runGetWorkMapping(mapping: GetWorkMapping, example: WorkedExample | undefined): Iterable<CaseResult> {
  yield runCase("work and solution", () => checkMapping(mapping));
  if (example === undefined) {
    yield {
      name: "block",
      outcome: "pending",
      reason: "the worked example that holds the template is not among the files",
    };
  } else {
    yield runCase("block", () => checkMappedBlock(mapping, example));
  }
}

function checkMapping(mapping: GetWorkMapping): void {
  const [work, seed] = mapping.getWork.map(fromHex) as [Uint8Array, Uint8Array];
  const [solution, solvedWork, mixDigest] = mapping.submitWork.map(fromHex) as [Uint8Array, Uint8Array, Uint8Array];
  const coinbase = taggedCoinbase(work);
  expectEqual("coinbase", coinbase, mapping.canonicalCoinbase);
  expectEqual("coinbase id", transactionId(coinbase), mapping.coinbaseTxIdInternal);
  expectEqual("seed hash", seed, mapping.coinbaseTxIdInternal);
  expectEqual("compressed", compressCoinbase(coinbase), mapping.compressedCoinbase);
  expectEqual("solved work", solvedWork, toHex(work));
  const time = bytesToNumber(solution.subarray(0, 4));
  const header = canonicalParentHeader(seed, time, bytesToNumber(solution.subarray(4)));
  expectEqual("parent header", header, mapping.parentChainHeader);
  expectEqual("mix digest", reverseBytes(parentHeaderHash(header)), toHex(mixDigest));
}

function checkMappedBlock(mapping: GetWorkMapping, example: WorkedExample): void {
  const header = template(example).with({
    parentChainHeader: fromHex(mapping.parentChainHeader),
    merkleProof: fromHex(mapping.merkleProof),
    parentChainCoinbase: fromHex(mapping.compressedCoinbase),
  });
  expectEqual("work", header.hashForMergedMining, mapping.getWork[0].slice(2));
  expectEqual("target", `0x${hex256(proofOfWorkTarget(header.difficultyValue))}`, mapping.getWork[2]);
  expectEqual("block hash", header.hash, mapping.blockHash);
  verifyProofOfWork(header, rulesAt(network, header.number), network);
}

function hex256(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}
