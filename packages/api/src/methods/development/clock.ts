import { isLocal } from "@cambium/config";
import type { LocalMinerApi } from "@cambium/miner";
import { toQuantity } from "@cambium/primitives";
import { servesTools } from "../../compatibility.js";
import { defineMethod, type MethodDefinition, required } from "../../definition/method.js";
import { invalidParams, unsupported } from "../../errors.js";
import { mining } from "../../objects/mining-answers.js";
import { NUMBER } from "../../params/value-types.js";
import { NULL, QUANTITY, TEXT, TRUTH } from "../../schemas/values.js";
import { SECONDS, TIMESTAMP } from "./times.js";
import { DONE, underNames } from "./tool-names.js";

function setInterval({ next }: LocalMinerApi, seconds: bigint): void {
  if (seconds === 0n) throw invalidParams("The timestamps of blocks must ascend: the interval is at least 1 second");
  next.timestampInterval = seconds;
}

/** Methods that set the time of the next blocks (`spec/03 §8.2`). */
export const CLOCK_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "evm_increaseTime",
      summary: "Advances the timestamp of the next block; returns the total shift since the last one in seconds",
      params: [required("seconds", SECONDS)],
      needs: "localMiner",
      result: QUANTITY,
      example: "written",
      handler: (parts, [seconds]) => {
        if (seconds < 0 && servesTools(parts)) {
          throw invalidParams(`invalid number of seconds ${seconds}: the time of the chain cannot go back`);
        }
        return toQuantity(parts.localMiner!.increaseTime(Math.max(seconds, 0)));
      },
    }),
    "anvil_increaseTime",
  ),
  ...underNames(
    defineMethod({
      name: "evm_setNextBlockTimestamp",
      summary: "Sets the timestamp of the next block, from which the clock then goes on; returns it as decimal digits",
      params: [required("timestamp", TIMESTAMP)],
      needs: "localMiner",
      result: TEXT,
      example: "written",
      handler: ({ localMiner }, [timestamp]) =>
        mining(() => {
          localMiner!.next.setTimestamp(timestamp);
          return String(timestamp);
        }),
    }),
    "anvil_setNextBlockTimestamp",
  ),
  ...underNames(
    defineMethod({
      name: "evm_setTime",
      summary: "Sets the clock of the next blocks; returns the seconds by which it moves",
      params: [required("timestamp", TIMESTAMP)],
      needs: "localMiner",
      result: { type: "integer" },
      example: "written",
      handler: ({ localMiner }, [timestamp]) => mining(() => localMiner!.next.setTime(timestamp)),
    }),
    "anvil_setTime",
  ),
  defineMethod({
    name: "anvil_setBlockTimestampInterval",
    summary: "Sets the seconds between the timestamps of all further blocks",
    params: [required("seconds", TIMESTAMP)],
    needs: "localMiner",
    result: NULL,
    example: "written",
    handler: ({ localMiner }, [seconds]) => setInterval(localMiner!, seconds),
  }),
  defineMethod({
    name: "hardhat_setBlockTimestampInterval",
    summary: "Sets the milliseconds, whole seconds of them, between the timestamps of all further blocks",
    params: [required("milliseconds", TIMESTAMP)],
    needs: "localMiner",
    result: DONE,
    example: "written",
    handler: ({ localMiner }, [milliseconds]) => {
      setInterval(localMiner!, milliseconds / 1000n);
      return true;
    },
  }),
  ...underNames(
    defineMethod({
      name: "anvil_removeBlockTimestampInterval",
      summary: "Ends the fixed time between blocks; returns whether there was one",
      params: [],
      needs: "localMiner",
      result: TRUTH,
      example: "written",
      handler: ({ localMiner }) => {
        const { next } = localMiner!;
        const wasSet = next.timestampInterval !== undefined;
        next.timestampInterval = undefined;
        return wasSet;
      },
    }),
    "hardhat_removeBlockTimestampInterval",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_setNextBlockBaseFeePerGas",
      summary: "Refused unless it is 0: blocks of this chain have no base fee",
      params: [required("fee", NUMBER)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: (_parts, [fee]) => {
        if (fee !== 0n) throw invalidParams("Blocks of this network have no base fee; see hardhat_setMinGasPrice");
        return true;
      },
    }),
    "anvil_setNextBlockBaseFeePerGas",
  ),
  defineMethod({
    name: "hardhat_setPrevRandao",
    summary:
      "Refused unless it is what PREVRANDAO returns: the difficulty, because blocks of this chain have no random number",
    params: [required("value", NUMBER)],
    needs: "localMiner",
    result: DONE,
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: ({ chain }, [value]) => {
      const difficulty = chain.best().header.difficultyValue;
      // Elsewhere the difficulty of the next block may differ.
      if (isLocal(chain.network) && value === difficulty) return true;
      throw unsupported(
        `blocks have no random number; PREVRANDAO returns their difficulty, ${difficulty} in the latest block, which the rules of the chain fix`,
      );
    },
  }),
];
