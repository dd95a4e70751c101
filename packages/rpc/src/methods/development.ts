import { toQuantity } from "@cambium/primitives";
import { echo, invalidParams } from "../errors.js";
import { defineMethod, type MethodDefinition, required } from "../requests/method.js";
import type { ParamType } from "../requests/param-type.js";
import { QUANTITY, TRUTH } from "./result-schemas.js";

const NOTHING = { type: "null" };

/** A number in hex digits, of which the low 32 bits count (`spec/03 §8.2`). */
const SNAPSHOT_ID: ParamType<number> = {
  name: "SNAPSHOT",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]+$" },
  parse(value) {
    if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) {
      return Number(BigInt.asIntN(32, BigInt(value)));
    }
    throw invalidParams(`invalid snapshot id ${echo(value)}`);
  },
};

/** A number, decimal digits, or hex digits after `0x`. The low 64 bits count and must not exceed {@link MAX_SHIFT}. */
const SECONDS: ParamType<number> = {
  name: "SECONDS",
  schema: { anyOf: [{ type: "string", pattern: "^(0x[0-9a-fA-F]+|-?[0-9]+)$" }, { type: "integer" }] },
  parse(value) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || text.length > 80 || !/^(0x[0-9a-fA-F]+|-?[0-9]+)$/.test(text)) {
      throw invalidParams(`invalid number of seconds ${echo(value)}`);
    }
    const seconds = BigInt.asIntN(64, BigInt(text));
    if (seconds > BigInt(MAX_SHIFT)) throw invalidParams(`invalid number of seconds ${echo(value)}`);
    return seconds < 0n ? 0 : Number(seconds);
  },
};

/** A thousand years, in seconds. */
const MAX_SHIFT = 1000 * 366 * 86_400;

/** Methods that mine and revert blocks of a local network (`spec/03 §8.2`, `§8.3`, `spec/09 §13.1`). */
export const DEVELOPMENT_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "evm_mine",
    summary: "Mines a block",
    params: [],
    needs: "localMiner",
    result: NOTHING,
    handler: async ({ localMiner }) => {
      await localMiner!.mine();
    },
  }),
  defineMethod({
    name: "evm_increaseTime",
    summary: "Advances the timestamp of the next block; returns the total shift in seconds",
    params: [required("seconds", SECONDS)],
    needs: "localMiner",
    result: QUANTITY,
    handler: ({ localMiner }, [seconds]) => toQuantity(localMiner!.increaseTime(seconds)),
  }),
  defineMethod({
    name: "evm_snapshot",
    summary: "Takes a snapshot of the chain's height; returns its id",
    params: [],
    needs: "localMiner",
    result: QUANTITY,
    handler: ({ localMiner }) => toQuantity(localMiner!.snapshot()),
  }),
  defineMethod({
    name: "evm_revert",
    summary: "Reverts the chain to a snapshot and clears the transaction pool",
    params: [required("snapshot", SNAPSHOT_ID)],
    needs: "localMiner",
    result: TRUTH,
    handler: ({ localMiner }, [id]) => localMiner!.revert(id),
  }),
  defineMethod({
    name: "evm_reset",
    summary: "Reverts the chain to genesis and clears the transaction pool",
    params: [],
    needs: "localMiner",
    result: NOTHING,
    handler: async ({ localMiner }) => {
      await localMiner!.reset();
    },
  }),
  defineMethod({
    name: "evm_startMining",
    summary: "Starts the miner server and the built-in miner",
    params: [],
    needs: "localMiner",
    result: NOTHING,
    handler: async ({ localMiner, miner }) => {
      await miner?.start();
      localMiner!.startMining();
    },
  }),
  defineMethod({
    name: "evm_stopMining",
    summary: "Stops the miner server and the built-in miner",
    params: [],
    needs: "localMiner",
    result: NOTHING,
    handler: ({ localMiner, miner }) => {
      miner?.stop();
      localMiner!.stopMining();
    },
  }),
];
