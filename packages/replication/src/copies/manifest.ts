import { fromHex, toHex } from "@cambium/primitives";
import * as z from "zod";
import { ReplicationError } from "../errors.js";
import type { Seal, SealedStream } from "../seal.js";

/** Files of a database, other than those that LevelDB recreates. */
export const FILE_NAME = /^(?:CURRENT|MANIFEST-\d{1,15}|\d{1,15}\.(?:ldb|sst|log))$/;
/**
 * Maximum size of a file in bytes: it is in memory while it is sent or received. LevelDB's files have several
 * megabytes.
 */
export const MAX_FILE = 512 * 1024 * 1024;

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
    .transform(fromHex);
const link = z.strictObject({ sequence: z.int().min(0), hash: hex(8) });
const schema = z.strictObject({
  version: z.literal(1),
  /** Time of completion, in milliseconds since 1970. */
  made: z.int(),
  /** Latest batches in the copy: of maintenance, see `BatchLogReader.base`, and of the running writer. */
  base: link,
  last: link,
  files: z.array(
    z.strictObject({
      name: z.string().regex(FILE_NAME),
      size: z.int().min(0).max(MAX_FILE),
      /** Time of the last change of the writer's file, in milliseconds since 1970. Tables never change. */
      modified: z.int(),
      /** SHA-256 of the file, also the name of the object. */
      sha256: hex(32).transform(toHex),
    }),
  ),
});

/** The description of a copy of a database. */
export type CopyManifest = z.output<typeof schema>;
export type CopiedFile = CopyManifest["files"][number];
/** Position of a copy in the writer's batches. */
export type CopyPosition = Pick<CopyManifest, "base" | "last">;

/** Number of digits of the MAC, which precedes the JSON text. */
const MAC_LENGTH = 64;

/** Encodes and seals a manifest. */
export function sealManifest({ base, last, ...other }: CopyManifest, seal: Seal): Uint8Array {
  const link = ({ sequence, hash }: CopyManifest["last"]) => ({ sequence, hash: toHex(hash) });
  const text = JSON.stringify({ ...other, base: link(base), last: link(last) });
  return Buffer.from(seal.of("copy", [], text) + text);
}

/**
 * Inverse of {@link sealManifest}. Returns undefined if the seal is invalid. Throws {@link ReplicationError}
 * `COPY_MANIFEST` if the seal is valid, but this release cannot read the content.
 */
export function openManifest(bytes: Uint8Array, { seal, stream }: SealedStream): CopyManifest | undefined {
  const content = bytes.subarray(MAC_LENGTH);
  if (!seal.matches(Buffer.from(bytes.subarray(0, MAC_LENGTH)).toString("latin1"), "copy", [], content))
    return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(content).toString()));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new ReplicationError({ code: "COPY_MANIFEST", stream, reason }, { cause });
  }
}

/** Handles `COPY_MANIFEST` as a missing manifest; rethrows other errors. */
export function unreadable(error: Error): undefined {
  if (!(error instanceof ReplicationError && error.code === "COPY_MANIFEST")) throw error;
}
