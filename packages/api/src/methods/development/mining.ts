import type { LocalMinerApi } from "@cambium/miner";
import { defineMethod, type MethodDefinition, optional, required } from "../../definition/method.js";
import { echo, invalidParams } from "../../errors.js";
import { mining } from "../../objects/mining-answers.js";
import type { ParamType } from "../../params/param-type.js";
import { ADDRESS, BOOLEAN, NUMBER, objectOf } from "../../params/value-types.js";
import { NULL, TRUTH } from "../../schemas/values.js";
import { TIMESTAMP } from "./times.js";
import { DONE, underNames } from "./tool-names.js";

/** Maximum number of blocks that one call mines. */
const MAX_BLOCKS = 100_000;
/** Longest time between two blocks: milliseconds of a timer. */
const MAX_INTERVAL = 2 ** 31 - 1;

interface Mine {
  blocks: number;
  timestamp: bigint | undefined;
}

/** The parameter of `evm_mine`: the timestamp of the block, or an object with it and a number of blocks. */
const MINE: ParamType<Mine> = {
  name: "MINE",
  schema: {
    anyOf: [TIMESTAMP.schema, { type: "object", properties: { timestamp: TIMESTAMP.schema, blocks: NUMBER.schema } }],
  },
  parse(value) {
    if (typeof value !== "object") return { blocks: 1, timestamp: TIMESTAMP.parse(value) };
    const { timestamp, blocks } = objectOf(value);
    return {
      blocks: blocks === undefined || blocks === null ? 1 : BLOCK_COUNT.parse(blocks),
      timestamp: timestamp === undefined || timestamp === null ? undefined : TIMESTAMP.parse(timestamp),
    };
  },
};

const BLOCK_COUNT: ParamType<number> = {
  name: "BLOCK_COUNT",
  schema: { ...NUMBER.schema, title: `QUANTITY or decimal, at most ${MAX_BLOCKS}` },
  parse(value) {
    const count = NUMBER.parse(value);
    if (count > MAX_BLOCKS) throw invalidParams(`Cannot mine ${count} blocks at once, at most ${MAX_BLOCKS}`);
    return Number(count);
  },
};

/** Hardhat's form of an interval: milliseconds, or a minimum and a maximum, whose mean is used. */
const INTERVAL: ParamType<number> = {
  name: "INTERVAL",
  schema: { anyOf: [NUMBER.schema, { type: "array", items: NUMBER.schema, minItems: 2, maxItems: 2 }] },
  parse(value) {
    const ends = Array.isArray(value) ? value : [value, value];
    const [least, most] = ends.map((one) => NUMBER.parse(one));
    if (ends.length !== 2 || least! > most! || most! > MAX_INTERVAL) {
      throw invalidParams(`invalid interval ${echo(value)}`);
    }
    return Math.round((Number(least) + Number(most)) / 2);
  },
};

async function mineFrom(localMiner: LocalMinerApi, { blocks, timestamp }: Mine): Promise<void> {
  if (blocks > 0 && timestamp !== undefined) localMiner.next.setTimestamp(timestamp);
  if (blocks === 1) await localMiner.mine();
  else await localMiner.mineBlocks({ count: blocks });
}

/** Methods that mine, and set when and what the built-in miner mines. */
export const LOCAL_MINING_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "evm_mine",
    summary: "Mines a block, with the given timestamp if there is one, or several blocks",
    params: [optional("blocks", MINE, { blocks: 1, timestamp: undefined })],
    needs: "localMiner",
    isUntimed: true,
    result: NULL,
    example: "written",
    handler: ({ localMiner }, [order]) => mining(() => mineFrom(localMiner!, order)),
  }),
  ...underNames(
    defineMethod({
      name: "hardhat_mine",
      summary: "Mines blocks, one by default; with a number of seconds between their timestamps if it is given",
      params: [optional("blocks", BLOCK_COUNT, 1), optional("interval", NUMBER, 0n)],
      needs: "localMiner",
      isUntimed: true,
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [count, interval], deadline) =>
        mining(async () => {
          const isAbandoned = () => deadline.passed;
          const spaced = interval === 0n ? {} : { interval: Number(interval) };
          await localMiner!.mineBlocks({ count, ...spaced, isAbandoned });
          return true;
        }),
    }),
    "anvil_mine",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_getAutomine",
      summary: "Whether a block is mined for every transaction",
      params: [],
      needs: "localMiner",
      result: TRUTH,
      example: "written",
      handler: ({ localMiner }) => localMiner!.mode.kind === "automatic" && localMiner!.isMining,
    }),
    "anvil_getAutomine",
  ),
  ...underNames(
    defineMethod({
      name: "evm_setAutomine",
      summary: "Whether a block is mined for every transaction from now on",
      params: [required("enabled", BOOLEAN)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [enabled]) => {
        localMiner!.setAutomatic(enabled);
        return true;
      },
    }),
    "anvil_setAutomine",
  ),
  defineMethod({
    name: "evm_setIntervalMining",
    summary: "Mines a block every so many milliseconds (seconds, if the node is named after Anvil); 0 ends it",
    params: [required("interval", INTERVAL)],
    needs: "localMiner",
    result: DONE,
    example: "written",
    handler: ({ localMiner, clientVersion }, [interval]) => {
      // Tools that check the client's name send the unit that the named tool expects.
      const milliseconds = /^anvil/i.test(clientVersion) ? interval * 1000 : interval;
      if (milliseconds > MAX_INTERVAL) throw invalidParams(`invalid interval ${interval}`);
      localMiner!.setInterval(milliseconds);
      return true;
    },
  }),
  defineMethod({
    name: "anvil_setIntervalMining",
    summary: "Mines a block every so many seconds; 0 ends it",
    params: [required("seconds", NUMBER)],
    needs: "localMiner",
    result: NULL,
    example: "written",
    handler: ({ localMiner }, [seconds]) => {
      if (seconds * 1000n > MAX_INTERVAL) throw invalidParams(`invalid interval ${seconds}`);
      localMiner!.setInterval(Number(seconds) * 1000);
    },
  }),
  ...underNames(
    defineMethod({
      name: "evm_setBlockGasLimit",
      summary: "Sets the gas limit of blocks from now on, and mines an empty block that has it",
      params: [required("gasLimit", NUMBER)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [gasLimit]) =>
        mining(async () => {
          await localMiner!.setGasLimit(gasLimit);
          return true;
        }),
    }),
    "anvil_setBlockGasLimit",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_setMinGasPrice",
      summary: "Sets the minimum gas price of blocks from now on, and mines an empty block that has it",
      params: [required("gasPrice", NUMBER)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [gasPrice]) =>
        mining(async () => {
          await localMiner!.setMinimumGasPrice(gasPrice);
          return true;
        }),
    }),
    "anvil_setMinGasPrice",
  ),
  ...underNames(
    defineMethod({
      name: "hardhat_setCoinbase",
      summary: "Sets the account that receives the fees of blocks from now on",
      params: [required("address", ADDRESS)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [address]) => {
        localMiner!.next.coinbase = address;
        return true;
      },
    }),
    "anvil_setCoinbase",
  ),
];
