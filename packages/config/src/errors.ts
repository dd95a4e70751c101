import { CambiumError } from "@cambium/primitives";

/** A custom network definition is invalid. Each problem reads `path.of.member: reason`. */
export class ConfigError extends CambiumError<
  | { code: "UNKNOWN_NETWORK"; name: string; known: readonly string[] }
  | { code: "INVALID_NETWORK"; problems: readonly string[] }
> {}
