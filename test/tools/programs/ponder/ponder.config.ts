import { createConfig } from "ponder";

const { CHAIN_ID, NODE_URL, COUNTER, COUNTER_ABI } = process.env;

export default createConfig({
  database: { kind: "pglite", directory: process.env.DATABASE },
  chains: { local: { id: Number(CHAIN_ID), rpc: NODE_URL, pollingInterval: 200 } },
  contracts: { Counter: { chain: "local", abi: JSON.parse(COUNTER_ABI!), address: COUNTER as `0x${string}` } },
});
