import { CambiumError, shownUrl } from "@cambium/primitives";
import { withoutSecrets } from "./secrets.js";

/** Fault of a line of a file; lines count from 1. */
export interface FileProblem {
  line: number;
  reason: string;
}

/** An error that the user can correct; shown as one line, without a stack trace. */
export class CliError extends CambiumError<
  | { code: "FILE_NOT_FOUND"; path: string }
  | { code: "FILE_UNREADABLE"; path: string; reason: string }
  | { code: "FILE_UNWRITABLE"; path: string; reason: string }
  /** No checksum of a block file is known; `source` is its path or URL. */
  | { code: "CHECKSUM_MISSING"; source: string }
  /** A block file has another SHA-256; both in hex. */
  | { code: "CHECKSUM"; source: string; expected: string; actual: string }
  | { code: "DOWNLOAD"; url: string; reason: string }
  /** No source of published state is known for a network. */
  | { code: "NO_PUBLISHED_STATE"; network: string }
  /** No index of published state can be downloaded. */
  | { code: "NO_INDEX"; url: string; reason: string }
  /** Published state cannot be installed, since the chain has blocks above genesis. */
  | { code: "CHAIN_EXISTS"; dataDir: string }
  | { code: "UNKNOWN_NETWORK"; name: string; known: string }
  | { code: "INVALID_OPTION"; option: string; value: string; expected: string }
  /** A flag with one value is given twice. */
  | { code: "REPEATED_OPTION"; option: string }
  /** `requires` names the option that is missing. */
  | { code: "OPTION_REQUIRES"; option: string; requires: string }
  /** A client requests a fork of an endpoint that the command line does not name. */
  | { code: "FORK_REFUSED"; origin: string }
  /** Blocks of the deployed client's database in the folder `path` cannot be read. */
  | { code: "RSKJ_DATABASE"; path: string; reason: string }
  /** Importing blocks would end the installation of the snapshot of this block. */
  | { code: "SNAPSHOT_UNFINISHED"; block: number }
  | { code: "CONFIG_FILE"; path: string; problems: readonly FileProblem[] }
  | { code: "LOG_FILE"; path: string; reason: string }
  /** The node could not be started. */
  | { code: "START"; reason: string }
  | { code: "NO_VECTORS"; path: string }
  | { code: "RPC"; url: string; reason: string }
  /** A file with keys of replicas cannot be used. */
  | { code: "KEY_FILE"; path: string; reason: string }
  /** API keys could not be read or changed. */
  | { code: "KEYS"; reason: string }
> {}

/** The error for a value that an option does not have. */
export function invalid(option: string, value: string, expected: string): CliError {
  return new CliError({ code: "INVALID_OPTION", option, value, expected });
}

/** Creates the error for an option that requires another one, or another condition. */
export function unmet(option: string, requires: string): CliError {
  return new CliError({ code: "OPTION_REQUIRES", option, requires });
}

/** The error as one line of text. */
export function explainCliError({ details }: CliError): string {
  switch (details.code) {
    case "FILE_NOT_FOUND":
      return `file not found: ${details.path}`;
    case "FILE_UNREADABLE":
      return `cannot read ${details.path}: ${details.reason}`;
    case "FILE_UNWRITABLE":
      return `cannot write ${details.path}: ${details.reason}`;
    case "CHECKSUM_MISSING":
      return details.source.toLowerCase().startsWith("http:")
        ? `${shownUrl(details.source)} is not encrypted and may be altered on its way: give its checksum with --sha256`
        : `no checksum of ${shownUrl(details.source)}: give it with --sha256, or in a file next to it whose name ends in .sha256`;
    case "CHECKSUM":
      return (
        `${shownUrl(details.source)} is not the expected file: its SHA-256 is ${details.actual}, expected ${details.expected}; ` +
        "nothing was imported"
      );
    case "DOWNLOAD":
      return `cannot download ${shownUrl(details.url)}: ${details.reason}; run the same command again to continue`;
    case "NO_PUBLISHED_STATE":
      return (
        `no published state of the network ${details.network} is known: give its address with --bootstrap.url and the keys of its ` +
        "signers with --bootstrap.keys, or name a file"
      );
    case "NO_INDEX":
      return (
        `cannot reach ${shownUrl(details.url)}: ${details.reason}; check the internet connection, or HTTPS_PROXY behind a proxy, or download the archive ` +
        "on another machine and name it: node-cli bootstrap FILE --sha256 HASH"
      );
    case "CHAIN_EXISTS":
      return (
        `the chain in ${details.dataDir} already has blocks, and published state needs an empty one: continue with ` +
        '"node-cli start", or choose another --data-dir'
      );
    case "UNKNOWN_NETWORK":
      return `unknown network '${details.name}': expected ${details.known}, or the path of a network definition (JSON)`;
    case "INVALID_OPTION":
      return `invalid value '${withoutSecrets(details.value)}' for ${details.option}: expected ${details.expected}`;
    case "REPEATED_OPTION":
      return `${details.option} takes one value, but was given more than once: leave the others out`;
    case "OPTION_REQUIRES":
      return `${details.option} requires ${details.requires}`;
    case "FORK_REFUSED":
      return (
        `hardhat_reset may not fork ${details.origin}: if this node may send requests there, ` +
        `start it with node-cli dev --fork.allow ${details.origin}`
      );
    case "RPC":
      return `JSON-RPC request to ${shownUrl(details.url)} failed: ${details.reason}`;
    case "NO_VECTORS":
      return `no conformance vectors of a known format in ${details.path}`;
    case "SNAPSHOT_UNFINISHED":
      return (
        `the database contains an unfinished snapshot of block ${details.block}; complete it with ` +
        '"node-cli start --sync.mode snapshot", or discard it with "node-cli start --sync.mode full"'
      );
    case "RSKJ_DATABASE":
      return `cannot import from ${details.path}: ${details.reason}`;
    case "CONFIG_FILE":
      return details.problems.map(({ line, reason }) => `${details.path}:${line}: ${reason}`).join("\n");
    case "LOG_FILE":
      return `cannot write the log file ${details.path}: ${details.reason}; choose another one with --log.file`;
    case "KEY_FILE":
      return `cannot use the key file ${details.path}: ${details.reason}`;
    case "START":
    case "KEYS":
      return details.reason;
  }
}
