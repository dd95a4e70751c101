import { OUT_OF_GAS, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { Op } from "../opcodes.js";
import { toBytes32, toClampedNumber } from "../words.js";
import { chargeAccess } from "./memory.js";

/** LOG0 to LOG4. */
export function log(frame: Frame, execution: Execution, op: number): void {
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const { costs } = execution;
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  const topicCount = op - Op.LOG0;
  chargeAccess(frame, costs, offset, size, 0);
  frame.gas -= costs.log + costs.logTopic * topicCount + costs.logByte * size;
  if (frame.gas < 0) throw OUT_OF_GAS;
  const topics: Uint8Array[] = [];
  for (let i = 0; i < topicCount; i++) topics.push(toBytes32(frame.pop()));
  execution.log({ address: frame.address, topics, data: frame.memory.read(offset, size) });
}
