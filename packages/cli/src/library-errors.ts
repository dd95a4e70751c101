import { PublishedStateError } from "@cambium/chain-maintenance";
import { ChainError, type ChainFault } from "@cambium/chain-store";
import { DatabaseError } from "@cambium/database";
import { FeedError } from "@cambium/feed";
import { equalBytes, toData } from "@cambium/primitives";
import { ReplicationError } from "@cambium/replication";
import { fileName } from "./output.js";
import { explainSystemError, plainReason, reasonAndRemedy } from "./system-errors.js";

/** Any error besides the command line's own as one line of text. */
export function explainLibraryError(error: unknown, argv: readonly string[]): string {
  if (error instanceof ChainError) return explainChain(error, argv);
  if (error instanceof DatabaseError) return explainDatabase(error, argv);
  if (error instanceof PublishedStateError) return explainPublishedState(error);
  if (error instanceof ReplicationError) return explainReplication(error);
  if (error instanceof FeedError) return explainFeed(error);
  return (error instanceof Error ? explainSystemError(error) : undefined) ?? plainReason(error);
}

function explainChain(error: ChainError, argv: readonly string[]): string {
  const { details } = error;
  switch (details.code) {
    case "DATABASE_NETWORK":
      return (
        `the database belongs to another network: its genesis is ${toData(details.actual)}, expected ` +
        `${toData(details.expected)}; check --network and --data-dir`
      );
    case "DATABASE_SCHEMA": {
      const advice =
        details.actual < details.supported
          ? "synchronise into another --data-dir"
          : "upgrade node-cli, or use another --data-dir";
      return `the database has schema version ${details.actual}, this release supports version ${details.supported}: ${advice}`;
    }
    case "STATE_LAYOUT":
      return details.actual === "archive"
        ? "the database stores the state of every block, so it has no history to shorten: use another --data-dir"
        : "the database does not store the state of every block: use another --data-dir for --state.archive";
    case "DATABASE_DAMAGED":
      return (
        `the database is damaged: missing or unreadable ${details.what} (key ${toData(details.key)}); ` +
        `repair it with "${repairCommand(argv)}"`
      );
    case "SNAPSHOT_UNFINISHED":
      return (
        "the installation of a snapshot is in progress, so that there is no state to prune: let the node " +
        "finish it, or delete the data directory and start again"
      );
    case "HISTORY_MISMATCH":
      return explainMismatch(details);
    case "REPAIR_SPACE":
      return (
        `not enough room in ${details.folder} for a repaired copy: ${megabytes(details.available)} MB free, ` +
        `${megabytes(details.needed)} MB needed`
      );
    case "REWIND_TARGET":
      return `cannot rewind to block ${details.number}: expected a number from ${details.lowest} to ${details.best}, the best block`;
    case "FORK_SOURCE":
      return `cannot read the forked chain from ${details.source} (${details.what}): ${details.reason}`;
    case "OTHER_NETWORK": {
      const { file, line, actual, evidence, expected } = details;
      const advice = actual === undefined ? "" : `, or --network ${actual}`;
      return (
        `${fileName(file)}:${line}: the block is of ${actual === undefined ? "an unknown network" : `the network ${actual}`}, not of ${expected}: ` +
        `${evidence}; choose another file${advice}`
      );
    }
    case "BLOCK_FILE":
      return explainBlockFile(details.file, details.afterLine, details.reason);
    default:
      return error.message;
  }
}

function explainMismatch({ number, hash, totalDifficulty }: ChainFault & { code: "HISTORY_MISMATCH" }): string {
  const isOther = hash !== undefined && !equalBytes(hash.expected, hash.actual);
  const { least, most, expected } = totalDifficulty;
  const range = least === most ? `${most}` : `from ${least} to ${most}`;
  const reason = isOther
    ? `block ${number} below it is ${toData(hash.actual)}, expected ${toData(hash.expected)}`
    : `it gives block ${number} a total difficulty ${range}, expected ${expected}`;
  return (
    `the published state or snapshot of this database is not of this network's chain: ${reason}; ` +
    "delete the data directory, and start from another source, or from genesis"
  );
}

function explainBlockFile(file: string, afterLine: number | undefined, reason: string): string {
  if (afterLine === undefined) return `cannot write ${file}: ${reasonAndRemedy(reason)}`;
  if (afterLine === 0) return `cannot read ${fileName(file)}: ${plainReason(reason)}`;
  return (
    `cannot read ${fileName(file)} after line ${afterLine}: ${reason}; the blocks up to there are kept: run the command again ` +
    "with a complete copy of the file"
  );
}

function explainDatabase(error: DatabaseError, argv: readonly string[]): string {
  const { details } = error;
  switch (details.code) {
    case "DATABASE_MISSING":
      return `no database in ${details.location}: check --data-dir, or create one with node-cli start or import`;
    case "DATABASE_OPEN":
      return `cannot open the database in ${details.location}: ${reasonAndRemedy(details.reason)}`;
    case "DATABASE_FILES":
      return (
        `the database in ${details.location} is damaged: ${details.file}: ${details.reason}; ` +
        `repair it with "${repairCommand(argv)}"`
      );
    case "DATABASE_READ":
      return `cannot read the database: ${details.reason}; if the disk is in order, repair it with "${repairCommand(argv)}"`;
    case "DATABASE_WRITE":
      return `cannot write the database: ${plainReason(details.reason)}; check the disk and its free space, then run the command again`;
    default:
      return error.message;
  }
}

const NOT_INSTALLED = "nothing was installed";

function explainPublishedState({ details, message }: PublishedStateError): string {
  switch (details.code) {
    case "ARCHIVE_FILE":
      return `the archive is refused: ${details.reason}; ${NOT_INSTALLED}`;
    case "ARCHIVE_FORMAT":
      return `the archive is refused: at byte ${details.offset}, ${details.reason}; ${NOT_INSTALLED}`;
    case "ARCHIVE_BLOCK":
      return `the archive is refused: block ${details.number ?? "of unknown number"}: ${details.reason}; ${NOT_INSTALLED}`;
    case "ARCHIVE_STATE": {
      const hash = details.hash === undefined ? "" : ` (${toData(details.hash)})`;
      return `the archive is refused: its state is not that of its newest block: ${details.reason}${hash}; ${NOT_INSTALLED}`;
    }
    case "TOO_FEW_BLOCKS":
      return (
        `the archive is refused: it has ${details.actual} blocks, and the blocks that follow cannot be validated with fewer than ` +
        `${details.expected}; ${NOT_INSTALLED}`
      );
    case "ARCHIVE_HEIGHT":
      return (
        `the archive is refused: its newest block is ${details.actual}, the index announces ${details.expected}; ` +
        NOT_INSTALLED
      );
    case "ARCHIVE_LIMIT":
      return `the archive is refused: it has more than ${details.maximum} ${details.what}; ${NOT_INSTALLED}`;
    case "NO_QUORUM":
      return (
        `no archive is listed by ${details.required} of the ${details.signers} signers (${details.indexes} indexes could be ` +
        "read): try again later, or choose another source with --bootstrap.url and --bootstrap.keys"
      );
    case "SIGNATURES":
      return (
        `of the archive at block ${details.height}, ${details.actual} signatures are valid, expected at least ` +
        `${details.required}; ${NOT_INSTALLED}`
      );
    case "INDEX":
      return message;
  }
}

/** Advice that makes a replica usable again. */
const NEW_COPY =
  "replace the database of this replica by a new copy: with --from.replace it fetches one if the writer has --replicate.copies; otherwise run " +
  '"node-cli db backup" on the writer\'s machine, and start the replica on the backup';

function explainReplication({ details, message }: ReplicationError): string {
  switch (details.code) {
    case "BATCHES_MISSING":
      return `the stream ${details.stream} no longer has batch ${details.next}, its first is ${details.first}; ${NEW_COPY}`;
    case "OTHER_DATABASE":
      return (
        `batch ${details.sequence} of the stream ${details.stream} does not belong to this database: the writer uses another one, or ` +
        `changed it while it was stopped; ${NEW_COPY}`
      );
    case "BATCH_DAMAGED":
      return `batch ${details.sequence} of the stream ${details.stream} is damaged: ${details.reason}; check the NATS servers, then ${NEW_COPY}`;
    case "COPY_MANIFEST":
      return `the description of the copy of the stream ${details.stream} is malformed: ${details.reason}; use the release of the writer`;
    case "COPY_DAMAGED":
      return (
        `the copy of the writer's database is damaged: object ${details.object} of the bucket ${details.bucket}: ${details.reason}; check the ` +
        `disks of the NATS servers, and delete the bucket ("nats object del ${details.bucket}"): the writer makes a new copy`
      );
    case "COPY_SPACE":
      return (
        `not enough room in ${details.folder} for a copy of the writer's database: ${megabytes(details.available)} MB free, ` +
        `${megabytes(details.needed)} MB needed`
      );
    case "OTHER_WRITER":
      return `another program publishes to the stream ${details.stream}: give each writer its own with --replicate.stream`;
    case "TERM_ENDED":
      return `another node is the writer of the stream ${details.stream} now`;
    default:
      return message;
  }
}

function explainFeed({ details }: FeedError): string {
  switch (details.code) {
    case "TARGET":
      return `cannot feed to ${details.target}: expected ${details.expected}`;
    case "NODE":
      return `cannot read from the node ${details.url}: ${details.reason}; check --rpc, and that the node serves JSON-RPC there`;
    case "METHOD_MISSING":
      return (
        `the node does not serve ${details.method}, which the table ${details.table} needs: start it with ` +
        `--rpc.modules ${details.module}, or leave the table out with --tables`
      );
    case "HISTORY_MISSING":
      return (
        `the node does not have what is needed of block ${details.number}: ${details.reason}; read from a node that was not started ` +
        "from a snapshot and is not pruned, or begin later with --from-block"
      );
    case "OTHER_CONTENT":
      return (
        `${details.target} holds another feed: its ${details.what} is ${details.found}, expected ${details.expected}; ` +
        "choose another destination, or start with what it has"
      );
    case "SINK":
      return `cannot feed to ${details.target}: ${details.reason}`;
  }
}

/** The command that repairs the database of a command line, with its configuration, network and data directory. */
function repairCommand(argv: readonly string[]): string {
  const options = ["--config", "--network", "--data-dir"].flatMap((name) => {
    const index = argv.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
    if (index < 0) return [];
    return argv[index] === name ? [name, argv[index + 1] ?? ""] : [argv[index]!];
  });
  return ["node-cli db repair", ...options.map(quoted)].join(" ");
}

function quoted(argument: string): string {
  return /^[\w./=:@%+,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
