export * from "./interface.js";
