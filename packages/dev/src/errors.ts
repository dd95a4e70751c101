import { CambiumError, shownUrl } from "@cambium/primitives";

type Details =
  | { code: "INVALID_OPTION"; option: string; value: string; expected: string }
  /** A client requests a fork of an endpoint that is not allowed. */
  | { code: "FORK_REFUSED"; origin: string }
  | { code: "FORK_OF_ITSELF"; url: string }
  /** The accounts of the chain cannot be listed, because an endpoint cannot list its own. */
  | { code: "ACCOUNTS_NOT_LISTED" }
  /** A file that describes a fork cannot be read. */
  | { code: "FORK_FILE"; path: string; reason: string }
  | { code: "ABI_FILE"; path: string; reason: string }
  | { code: "UNKNOWN_SNAPSHOT"; id: string };

/** A development chain cannot be started, or cannot do the requested action. */
export class DevError extends CambiumError<Details> {
  constructor(details: Details, options?: ErrorOptions) {
    super(details, options);
    this.message = explain(details);
  }
}

/** The error for a value that an option does not have. */
export function invalid(option: string, value: string, expected: string): DevError {
  return new DevError({ code: "INVALID_OPTION", option, value, expected });
}

function explain(details: Details): string {
  switch (details.code) {
    case "INVALID_OPTION":
      return `invalid value '${details.value}' for ${details.option}: expected ${details.expected}`;
    case "FORK_REFUSED":
      return (
        `hardhat_reset may not fork ${details.origin}: if this node may send requests there, start it with ` +
        `node-cli dev --fork.allow ${details.origin}, or with { fork: { allow: ["${details.origin}"] } } in a program`
      );
    case "FORK_OF_ITSELF":
      return `cannot fork ${shownUrl(details.url)}: it is served by this process, which would wait for its own answers`;
    case "ACCOUNTS_NOT_LISTED":
      return "--state requires a chain whose accounts can be listed, which no endpoint can";
    case "FORK_FILE":
      return `cannot read ${details.path}: ${details.reason}; remove it to ask the endpoint again`;
    case "ABI_FILE":
      return `cannot read ${details.path}: ${details.reason}`;
    case "UNKNOWN_SNAPSHOT":
      return `there is no snapshot ${details.id}: a revert ends it and those after it`;
  }
}
