export { type EthereumRun, executeEthereum } from "./ethereum-execution.js";
