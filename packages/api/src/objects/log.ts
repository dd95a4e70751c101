import type { LogLocation } from "@cambium/chain";
import { toData, toQuantity } from "@cambium/primitives";
import type { Log } from "@cambium/types";

/** Log object (`spec/09 §6.4`). */
export interface LogObject {
  logIndex: string;
  blockNumber: string;
  blockHash: string;
  blockTimestamp: string;
  transactionHash: string;
  transactionIndex: string;
  address: string;
  data: string;
  topics: string[];
  removed: boolean;
}

/** Position of a transaction's logs, common to all of them. */
export interface LogPosition {
  blockNumber: string;
  blockHash: string;
  blockTimestamp: string;
  transactionHash: string;
  transactionIndex: string;
}

export function logObject(log: Log, position: LogPosition, logIndex: number): LogObject {
  return {
    logIndex: toQuantity(logIndex),
    blockNumber: position.blockNumber,
    blockHash: position.blockHash,
    blockTimestamp: position.blockTimestamp,
    transactionHash: position.transactionHash,
    transactionIndex: position.transactionIndex,
    address: toData(log.address),
    data: toData(log.data),
    topics: log.topics.map(toData),
    removed: false,
  };
}

export function locatedLogObject(located: LogLocation): LogObject {
  const position = {
    blockNumber: toQuantity(located.blockNumber),
    blockHash: toData(located.blockHash),
    blockTimestamp: toQuantity(located.blockTimestamp),
    transactionHash: toData(located.transactionHash),
    transactionIndex: toQuantity(located.transactionIndex),
  };
  return logObject(located.log, position, located.logIndex);
}

/** Bytes that every log object takes in a response: names of members, quotation marks and separators. */
const FIXED_BYTES = 162;

/** Bytes of a log object in a response, with the comma after it. */
export function logObjectBytes({ removed: _, data, topics, ...quantities }: LogObject): number {
  const topicBytes = topics.reduce((sum, topic) => sum + topic.length + 3, 0);
  return Object.values(quantities).reduce((sum, text) => sum + text.length, FIXED_BYTES + data.length + topicBytes);
}
