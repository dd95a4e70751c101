import { toData, toQuantity } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { addressData } from "./format.js";

/** Notification of `newHeads` (00, Subscription types; `spec/09 §10.1`). */
export interface HeadObject {
  difficulty: string;
  extraData: string;
  gasLimit: string;
  gasUsed: string;
  logsBloom: string;
  miner: string;
  number: string;
  parentHash: string;
  receiptsRoot: string;
  sha3Uncles: string;
  stateRoot: string;
  timestamp: string;
  transactionsRoot: string;
  hash: string;
  /** Present only if the header has one. */
  baseEvent?: string;
}

export function headObject(header: BlockHeader): HeadObject {
  const { baseEvent } = header;
  return {
    difficulty: toQuantity(header.difficultyValue),
    extraData: toData(header.extraData),
    gasLimit: toQuantity(header.gasLimitValue),
    gasUsed: toQuantity(header.gasUsed),
    logsBloom: toData(header.logsBloom),
    miner: addressData(header.coinbase),
    number: toQuantity(header.number),
    parentHash: toData(header.parentHash),
    receiptsRoot: toData(header.receiptsRoot),
    sha3Uncles: toData(header.unclesHash),
    stateRoot: toData(header.stateRoot),
    timestamp: toQuantity(header.timestamp),
    transactionsRoot: toData(header.transactionsRoot),
    hash: toData(header.hash),
    ...(baseEvent === null || baseEvent.length === 0 ? {} : { baseEvent: toData(baseEvent) }),
  };
}
