export { createBridgeContract } from "./bridge-contract.js";
export { BridgeError } from "./errors.js";
export { FederatorAddresses } from "./federator-addresses.js";
