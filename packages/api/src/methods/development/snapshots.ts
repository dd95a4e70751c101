import { toQuantity } from "@cambium/primitives";
import { isDeployed } from "../../compatibility.js";
import { defineMethod, type MethodDefinition, required } from "../../definition/method.js";
import { echo, invalidParams } from "../../errors.js";
import type { ParamType } from "../../params/param-type.js";
import { NULL, QUANTITY, TRUTH } from "../../schemas/values.js";
import { underNames } from "./tool-names.js";

/** Number in hex digits; only its low 32 bits count (`spec/03 §8.2`). */
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

/**
 * Methods that revert blocks of a local network, and start and stop its miners (`spec/03 §8.2`, `§8.3`,
 * `spec/09 §13.1`).
 */
export const SNAPSHOT_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "evm_snapshot",
      summary: "Takes a snapshot of the chain's height; returns its id",
      params: [],
      needs: "localMiner",
      result: QUANTITY,
      example: "written",
      handler: ({ localMiner }) => toQuantity(localMiner!.snapshot()),
    }),
    "anvil_snapshot",
  ),
  ...underNames(
    defineMethod({
      name: "evm_revert",
      summary: "Reverts the chain to a snapshot, once, and clears the transaction pool",
      params: [required("snapshot", SNAPSHOT_ID)],
      needs: "localMiner",
      result: TRUTH,
      example: "written",
      handler: ({ localMiner, config }, [id]) => localMiner!.revert(id, isDeployed(config)),
    }),
    "anvil_revert",
  ),
  defineMethod({
    name: "evm_reset",
    summary: "Reverts the chain to genesis and clears the transaction pool",
    params: [],
    needs: "localMiner",
    result: NULL,
    example: "written",
    handler: async ({ localMiner }) => {
      await localMiner!.reset();
    },
  }),
  defineMethod({
    name: "evm_startMining",
    summary: "Starts the miner server and the built-in miner",
    params: [],
    needs: "localMiner",
    result: NULL,
    example: "written",
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
    result: NULL,
    example: "written",
    handler: ({ localMiner, miner }) => {
      miner?.stop();
      localMiner!.stopMining();
    },
  }),
];
