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

/** Upper bound, close to the real size, of the bytes of a log object in a response. */
export function logObjectBytes({ data, topics }: LogObject): number {
  return 455 + data.length + 70 * topics.length;
}
