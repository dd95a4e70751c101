import { shownUrl, toData, toQuantity } from "@cambium/primitives";
import { defineMethod, type MethodDefinition, optional, required } from "../../definition/method.js";
import { BOOLEAN } from "../../params/value-types.js";
import { BYTES, BYTES_32, NULL, QUANTITY, TEXT } from "../../schemas/values.js";
import { DONE, underNames } from "./tool-names.js";

const NUMBER = { type: "integer" };

/** Methods with information about the node that tools of developers request. */
export const INFORMATION_METHODS: readonly MethodDefinition[] = [
  ...underNames(
    defineMethod({
      name: "hardhat_metadata",
      summary: "The node's name, its chain and its best block",
      params: [],
      needs: "localMiner",
      result: {
        type: "object",
        properties: {
          clientVersion: TEXT,
          chainId: NUMBER,
          instanceId: BYTES_32,
          latestBlockNumber: NUMBER,
          latestBlockHash: BYTES_32,
          forkedNetwork: {
            type: "object",
            properties: { chainId: NUMBER, forkBlockNumber: NUMBER, forkBlockHash: BYTES_32 },
          },
        },
        required: ["clientVersion", "chainId", "instanceId", "latestBlockNumber", "latestBlockHash"],
      },
      example: "written",
      handler: ({ chain, clientVersion, instanceId }) => {
        const { header, hash } = chain.best();
        const { fork } = chain.network;
        return {
          clientVersion,
          chainId: chain.network.chainId,
          instanceId,
          latestBlockNumber: header.number,
          latestBlockHash: toData(hash),
          ...(fork === undefined
            ? {}
            : {
                forkedNetwork: {
                  chainId: fork.chainId,
                  forkBlockNumber: fork.number,
                  forkBlockHash: toData(fork.hash),
                },
              }),
        };
      },
    }),
    "anvil_metadata",
  ),
  defineMethod({
    name: "anvil_nodeInfo",
    summary: "The best block, and the parameters of the next one",
    params: [],
    needs: "localMiner",
    result: {
      type: "object",
      properties: {
        currentBlockNumber: QUANTITY,
        currentBlockTimestamp: NUMBER,
        currentBlockHash: BYTES,
        hardFork: TEXT,
        transactionOrder: TEXT,
        environment: {
          type: "object",
          properties: { baseFee: NUMBER, chainId: NUMBER, gasLimit: NUMBER, gasPrice: NUMBER },
        },
        forkConfig: { type: "object" },
      },
    },
    example: "written",
    handler: ({ chain, pool }) => {
      const { header, hash } = chain.best();
      const { fork } = chain.network;
      return {
        currentBlockNumber: toQuantity(header.number),
        currentBlockTimestamp: Number(header.timestamp),
        currentBlockHash: toData(hash),
        hardFork: "cancun",
        transactionOrder: "fees",
        environment: {
          baseFee: 0,
          chainId: chain.network.chainId,
          gasLimit: Number(header.gasLimitValue),
          gasPrice: Number(pool.gasPrice()),
        },
        forkConfig: {
          forkUrl: fork === undefined ? null : shownUrl(fork.source),
          forkBlockNumber: fork?.number ?? null,
          forkRetryBackoff: null,
        },
      };
    },
  }),
  ...underNames(
    defineMethod({
      name: "hardhat_setLoggingEnabled",
      summary: "Whether `node-cli dev` prints a line for every transaction",
      params: [required("enabled", BOOLEAN)],
      needs: "localMiner",
      result: DONE,
      example: "written",
      handler: ({ localMiner }, [enabled]) => {
        localMiner!.next.isLogged = enabled;
        return true;
      },
    }),
    "anvil_setLoggingEnabled",
  ),
  defineMethod({
    name: "anvil_enableTraces",
    summary:
      "Whether `node-cli dev` prints the calls of transactions too; `debug_traceTransaction` traces them in any case",
    params: [optional("enabled", BOOLEAN, true)],
    needs: "localMiner",
    result: NULL,
    example: "written",
    handler: ({ localMiner }, [enabled]) => {
      localMiner!.next.isTraced = enabled;
      return null;
    },
  }),
];
