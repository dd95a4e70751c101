import { checkAll, forkDetectionFormat, headerRules, relayProfile } from "@cambium/chain";
import { FORK_DETECTION_HEADERS, type NetworkConfig, rulesAt } from "@cambium/config";
import {
  coinbaseId,
  forkDetectionData,
  parentHeaderHash,
  splitCoinbase,
  TAG,
  verifyProofOfWork,
} from "@cambium/merged-mining";
import { fromHex, lastIndexOfBytes, reverseBytes } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import type { CaseResult } from "../interface.js";
import { expectEqual, networkFor, runCase, type VectorRules } from "./checks.js";

/** A real header and expected values; all fields except `number` and `header` may be absent. */
export interface HeaderVector {
  number: number;
  header: string;
  chainId?: number;
  rules?: VectorRules;
  hash?: string;
  parentHash?: string;
  difficulty?: string;
  timestamp?: number;
  uncleCount?: number;
  hashForMergedMining?: string;
  forkDetectionData?: string;
  parentChainHash?: string;
  coinbaseTxId?: string;
  coinbaseByteCount?: number;
  tagPosition?: number;
}

export interface HeaderFile {
  rules?: VectorRules;
  blocks: readonly HeaderVector[];
}

/**
 * One case per header, per parent link, per header with its parent by the rules of the chain, and per fork-detection
 * recalculation from 449 full headers.
 */
export function* runHeaders(file: HeaderFile): Iterable<CaseResult> {
  const headers = new Map<number, BlockHeader>();
  for (const vector of file.blocks) {
    yield runCase(`header ${vector.number}`, () => headers.set(vector.number, checkHeader(vector, file.rules)));
  }
  for (const header of headers.values()) {
    const parent = headers.get(header.number - 1);
    if (parent === undefined) continue;
    yield runCase(`link ${header.number}`, () => expectEqual("parent hash", header.parentHash, parent.hash));
    const network = networkFor(undefined, file.rules ?? {}, header.number);
    if (isOf(network, header)) yield runCase(`rules ${header.number}`, () => checkRules(header, parent, network));
    if (headers.has(header.number - FORK_DETECTION_HEADERS)) {
      yield runCase(`fork detection ${header.number}`, () => checkForkDetection(header, headers));
    }
  }
}

function checkHeader(vector: HeaderVector, fileRules: VectorRules = {}): BlockHeader {
  const network = networkFor(vector.chainId, vector.rules ?? fileRules, vector.number);
  const header = BlockHeader.decode(fromHex(vector.header), network);
  expectEqual("encoding", header.encode("full"), vector.header);
  expectEqual("number", header.number, vector.number);
  expectEqual("hash", header.hash, vector.hash);
  expectEqual("parent hash", header.parentHash, vector.parentHash);
  expectEqual("difficulty", header.difficulty, vector.difficulty);
  expectEqual("timestamp", header.timestamp, vector.timestamp);
  expectEqual("uncle count", header.uncleCount, vector.uncleCount);
  expectEqual("hash for merged mining", header.hashForMergedMining, vector.hashForMergedMining);
  expectEqual("fork-detection data", header.forkDetectionData, vector.forkDetectionData);
  verifyProofOfWork(header, rulesAt(network, header.number), network);
  checkParentChainParts(vector, header);
  return header;
}

/** Whether a header can be of a network's own chain; examples of the local style have a lower difficulty. */
function isOf({ consensus }: NetworkConfig, { difficulty }: BlockHeader): boolean {
  return (difficulty ?? 0n) >= consensus.minimumDifficulty;
}

/** A header of the network's chain satisfies every rule of a header behind its parent. */
function checkRules(header: BlockHeader, parent: BlockHeader, network: NetworkConfig): void {
  const context = { header, parent, network, now: Number(header.timestamp) };
  checkAll(headerRules, context);
  checkAll(relayProfile.childRules, context);
  forkDetectionFormat(header, network);
}

function checkParentChainParts(vector: HeaderVector, header: BlockHeader): void {
  const coinbase = splitCoinbase(header.parentChainCoinbase!);
  expectEqual("parent-chain hash", reverseBytes(parentHeaderHash(header.parentChainHeader!)), vector.parentChainHash);
  expectEqual("coinbase id", reverseBytes(coinbaseId(coinbase)), vector.coinbaseTxId);
  expectEqual("coinbase byte count", coinbase.byteCount, vector.coinbaseByteCount);
  expectEqual("tag position", lastIndexOfBytes(coinbase.tail, TAG), vector.tagPosition);
}

function checkForkDetection(header: BlockHeader, headers: ReadonlyMap<number, BlockHeader>): void {
  const parent = header.number - 1;
  const calculated = forkDetectionData(parent, (distance) => headers.get(parent - distance));
  expectEqual("recalculated fork-detection data", calculated, header.forkDetectionData);
}
