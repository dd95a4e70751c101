import { bytesToBigint, equalBytes, utf8 } from "@cambium/primitives";
import type { ArchiveData } from "./archive-file.js";
import { ByteSource } from "./byte-source.js";
import { malformed, PublishedStateError } from "./errors.js";

/** Kinds of elements of an archive (`spec/10 §3`). */
export type ElementKind = "block" | "node" | "value";

/** Receives the elements in their order: RLP items without their prefix. The next one waits for a returned promise. */
export type ElementSink = (kind: ElementKind, payload: Uint8Array, isList: boolean) => Promise<void> | undefined;

/** Sections of version 2 by their tags. */
const SECTIONS: Readonly<Record<number, ElementKind>> = { 1: "block", 2: "node", 3: "value" };
const END = 0;
const FIRST_BYTE = 0x52;
const MAGIC = utf8("RSKBOOT\n");
const VERSION = 2;
/** Length of the longest array of the deployed client's language, which limits its chunks. */
const MAX_CHUNK = 2n ** 31n - 9n;
/** Maximum length of an element, in bytes: nodes tell the lengths of values in 24 bits. */
const MAX_ELEMENT = 16 * 2 ** 20;

/**
 * Passes the elements of an archive of either version to `sink`, in one pass. Rejects with {@link PublishedStateError}
 * if the data are malformed, and with the errors of `sink` or `onProgress`.
 */
export async function readElements(
  data: ArchiveData,
  sink: ElementSink,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const source = new ByteSource(data);
  const reader = new ElementReader(source, sink, onProgress);
  try {
    if (source.size === 0) throw malformed(0, "the data are empty");
    await source.fill(1);
    await (source.peek(0) === FIRST_BYTE ? reader.version2() : reader.version1());
    await source.finish();
  } finally {
    await source.close();
  }
}

const MAX_PREFIX = 9;

/** Prefix of an RLP item. */
interface Prefix {
  isList: boolean;
  length: number;
}

/** Elements between two reports of progress. */
const REPORT = 1024;

class ElementReader {
  private elements = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly sink: ElementSink,
    private readonly onProgress: (bytes: number) => void,
  ) {}

  async version2(): Promise<void> {
    const { source } = this;
    if (!equalBytes(await source.next(MAGIC.length), MAGIC)) throw malformed(0, "neither version 1 nor version 2");
    const version = (await source.next(1))[0]!;
    if (version !== VERSION) throw malformed(MAGIC.length, `unknown version ${version}`);
    for (;;) {
      const at = source.position;
      const tag = (await source.next(1))[0]!;
      if (tag === END) return;
      const kind = SECTIONS[tag];
      if (kind === undefined) throw malformed(at, `unknown section ${tag}`);
      await this.section(kind);
    }
  }

  private async section(kind: ElementKind): Promise<void> {
    const { source } = this;
    for (;;) {
      const at = source.position;
      const length = bytesToBigint(await source.next(8));
      if (length === 0n) return;
      if (length > MAX_CHUNK) throw malformed(at, `a chunk of ${BigInt.asIntN(64, length)} bytes is out of range`);
      if (length > source.left) throw malformed(at, `a chunk of ${length} bytes is longer than the rest of the data`);
      await this.elementsTo(source.position + Number(length), kind);
    }
  }

  /** A list of two byte strings: the blocks, and a list of nodes and values. */
  async version1(): Promise<void> {
    const { source } = this;
    const end = await this.list(source.size);
    const blocks = await this.list(end);
    await this.elementsTo(blocks, "block");
    const state = await this.list(end);
    await this.elementsTo(await this.list(state), "node");
    await this.elementsTo(await this.list(state), "value");
    if (source.position !== end) throw malformed(source.position, "more than nodes and values");
  }

  /** Enters a list, which may be wrapped in a byte string. Returns its end. */
  private async list(limit: number): Promise<number> {
    const { source } = this;
    const outer = await this.nextPrefix(limit);
    const end = source.position + outer.length;
    if (outer.isList) return end;
    const at = source.position;
    const inner = await this.nextPrefix(end);
    if (!inner.isList || source.position + inner.length !== end) throw malformed(at, "expected a list");
    return end;
  }

  private async elementsTo(end: number, kind: ElementKind): Promise<void> {
    const { source, sink } = this;
    while (source.position < end) {
      const { isList, length } = source.has(MAX_PREFIX) ? this.prefix(end) : await this.nextPrefix(end);
      if (length > MAX_ELEMENT) {
        throw new PublishedStateError({ code: "ARCHIVE_LIMIT", what: `bytes of a ${kind}`, maximum: MAX_ELEMENT });
      }
      if (!source.has(length)) await source.fill(length);
      const taken = sink(kind, source.take(length), isList);
      if (taken !== undefined) await taken;
      if (++this.elements % REPORT === 0) this.onProgress(source.position);
    }
  }

  /** Waits for the prefix of an item, which must end at `limit` or before, and passes over it. */
  private async nextPrefix(limit: number): Promise<Prefix> {
    const { source } = this;
    const at = source.position;
    if (at >= limit) throw malformed(at, "an element is missing");
    if (!source.has(1)) await source.fill(1);
    const length = prefixLength(source.peek(0));
    if (at + length > limit) throw tooLong(at);
    if (!source.has(length)) await source.fill(length);
    return this.prefix(limit);
  }

  /** Passes over a prefix as {@link nextPrefix} does, if its bytes are present. */
  private prefix(limit: number): Prefix {
    const { source } = this;
    const at = source.position;
    const first = source.peek(0);
    if (first < 0x80) return { isList: false, length: 1 };
    const isList = first >= 0xc0;
    const ownLength = prefixLength(first);
    let length = first - (isList ? 0xc0 : 0x80);
    if (ownLength > 1) {
      length = 0;
      for (let i = 1; i < ownLength; i++) length = length * 256 + source.peek(i);
    }
    if (at + ownLength + length > limit) throw tooLong(at);
    source.skip(ownLength);
    return { isList, length };
  }
}

/** Returns the length of a prefix by its first byte; 0 for a byte that is its own item. */
function prefixLength(first: number): number {
  if (first < 0x80) return 0;
  const length = first & 0x3f;
  return length < 56 ? 1 : length - 54;
}

function tooLong(at: number): PublishedStateError {
  return malformed(at, "an element is longer than what contains it");
}
