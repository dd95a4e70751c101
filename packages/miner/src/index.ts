export * from "./errors.js";
export * from "./interface.js";
