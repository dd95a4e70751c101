import { CambiumError } from "@cambium/primitives";

/** A network definition from outside cannot be used. Each problem reads `path.of.member: reason`. */
export class ConfigError extends CambiumError<
  | { code: "UNKNOWN_NETWORK"; name: string; known: readonly string[] }
  | { code: "INVALID_NETWORK"; problems: readonly string[] }
> {}
