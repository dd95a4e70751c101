import type { LogLocation } from "@cambium/chain-store";
import { bigintToBytes, bytesToBigint, decodeRlpList, encodeRlp, numberToBytes } from "@cambium/primitives";
import { countOf, dataOf, type Json, logOf, quantityOf } from "./block-json.js";
import type { Codec } from "./remote-source.js";

export const LOGS: Codec<LogLocation[]> = {
  encode: (logs) => encodeRlp(logs.map(packedLog)),
  decode: (bytes) => decodeRlpList(bytes).map(({ items }) => unpackedLog(items.map((item) => item))),
};

function packedLog({ log, ...at }: LogLocation) {
  return [
    log.address,
    [...log.topics],
    log.data,
    at.blockHash,
    numberToBytes(at.blockNumber),
    bigintToBytes(at.blockTimestamp),
    at.transactionHash,
    numberToBytes(at.transactionIndex),
    numberToBytes(at.logIndex),
  ];
}

function unpackedLog(items: readonly { bytes: Uint8Array; items: readonly { bytes: Uint8Array }[] }[]): LogLocation {
  const number = (i: number) => Number(bytesToBigint(items[i]!.bytes));
  return {
    log: { address: items[0]!.bytes, topics: items[1]!.items.map(({ bytes }) => bytes), data: items[2]!.bytes },
    blockHash: items[3]!.bytes,
    blockNumber: number(4),
    blockTimestamp: bytesToBigint(items[5]!.bytes),
    transactionHash: items[6]!.bytes,
    transactionIndex: number(7),
    logIndex: number(8),
  };
}

/** Decodes a log of `eth_getLogs`; some clients omit its time, which then is 0. */
export function locatedLog(object: Json): LogLocation {
  return {
    log: logOf(object),
    blockHash: dataOf(object.blockHash, 32),
    blockNumber: countOf(object.blockNumber),
    blockTimestamp: object.blockTimestamp === undefined ? 0n : quantityOf(object.blockTimestamp),
    transactionHash: dataOf(object.transactionHash, 32),
    transactionIndex: countOf(object.transactionIndex),
    logIndex: countOf(object.logIndex),
  };
}
