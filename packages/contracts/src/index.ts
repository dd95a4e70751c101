export { createNativeContracts } from "./native-contracts.js";
