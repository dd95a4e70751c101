import type { Logger } from "@cambium/primitives";

/** Logs nothing. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
