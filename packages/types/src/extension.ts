import { decodeRlpList, encodeRlp, keccak256, type RlpInput } from "@cambium/primitives";
import { readingRlp, TypesError } from "./errors.js";
import { byteBytes, edgesBytes, edgesFromBytes } from "./scalars.js";

/** The fields that a compressed header of version 1 or 2 omits: `spec/01 §2.4` (RSKIP-351, RSKIP-535). */
export interface HeaderExtension {
  version: 1 | 2;
  logsBloom: Uint8Array;
  /** Base event, only used in version 2; null counts as empty. */
  baseEvent: Uint8Array | null;
  /** Execution edges; null if the field does not exist. */
  executionEdges: readonly number[] | null;
}

/** Returns the last fields. Their order differs from the full header, where the edges come before the base event. */
function tail(extension: HeaderExtension): Uint8Array[] {
  const items: Uint8Array[] = [];
  if (extension.version === 2) items.push(extension.baseEvent ?? new Uint8Array(0));
  if (extension.executionEdges !== null) items.push(edgesBytes(extension.executionEdges));
  return items;
}

/** Returns the hash to which the compressed header commits. */
export function extensionHash(extension: HeaderExtension): Uint8Array {
  return keccak256(encodeRlp([keccak256(extension.logsBloom), ...tail(extension)]));
}

/** Returns field 6 of a compressed header: version and hash, 35 bytes. */
export function extensionData(extension: HeaderExtension): Uint8Array {
  return encodeRlp([byteBytes(extension.version), extensionHash(extension)]);
}

/** Encodes the extension as sent with a body. */
export function encodeExtension(extension: HeaderExtension): Uint8Array {
  const content: RlpInput = [extension.logsBloom, ...tail(extension)];
  return encodeRlp([byteBytes(extension.version), encodeRlp(content)]);
}

/** Decodes the wire form. Throws {@link TypesError} `EXTENSION_MALFORMED` if it is malformed. */
export function decodeExtension(data: Uint8Array): HeaderExtension {
  return readingRlp("EXTENSION_MALFORMED", () => {
    const outer = decodeRlpList(data);
    if (outer.length !== 2) throw malformed(`${outer.length} items instead of 2`);
    const version = outer[0]!.bytes[0] ?? 0;
    if (version !== 1 && version !== 2) throw malformed(`version ${version}`);
    const items = decodeRlpList(outer[1]!.bytes);
    const bloom = items[0];
    if (bloom === undefined) throw malformed("no bloom");
    const edges = items.length === version + 1 ? items[version]! : undefined;
    if (version === 2 && items.length < 2) throw malformed("no base event");
    return {
      version,
      logsBloom: bloom.bytes,
      baseEvent: version === 2 ? items[1]!.bytes : null,
      executionEdges: edges === undefined ? null : edgesFromBytes(edges.bytes),
    };
  });
}

function malformed(reason: string): TypesError {
  return new TypesError({ code: "EXTENSION_MALFORMED", reason });
}
