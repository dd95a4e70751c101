import { CambiumError } from "@cambium/primitives";

/** Why published state is refused (`spec/10`). Nothing of a refused archive becomes part of the chain. */
export type PublishedStateFault =
  /** The file is not a zip file with one entry, `bootstrap-data.bin`. */
  | { code: "ARCHIVE_FILE"; reason: string }
  /** The data are malformed; `offset` counts bytes of the unpacked data. */
  | { code: "ARCHIVE_FORMAT"; offset: number; reason: string }
  | { code: "ARCHIVE_BLOCK"; number: number | undefined; reason: string }
  | { code: "ARCHIVE_STATE"; reason: string; hash: Uint8Array | undefined }
  /** The blocks that follow could not be validated with so few. */
  | { code: "TOO_FEW_BLOCKS"; expected: number; actual: number }
  /** The newest block of the archive is not the one that the index announces. */
  | { code: "ARCHIVE_HEIGHT"; expected: number; actual: number }
  /** The archive has more of something than a reader accepts. */
  | { code: "ARCHIVE_LIMIT"; what: string; maximum: number }
  /** The index of a signer is malformed. */
  | { code: "INDEX"; reason: string }
  /** No archive is listed by enough signers. */
  | { code: "NO_QUORUM"; signers: number; indexes: number; required: number }
  /** Too few signatures of the chosen archive are valid. */
  | { code: "SIGNATURES"; height: number; required: number; actual: number };

export class PublishedStateError extends CambiumError<PublishedStateFault> {}

export function malformed(offset: number, reason: string): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_FORMAT", offset, reason });
}
