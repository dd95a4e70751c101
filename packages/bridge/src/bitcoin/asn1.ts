import { BridgeError } from "../errors.js";

// ASN.1 elements as the deployed client parses them: basic encoding rules (X.690), with every element parsed. The
// client has two quirks: it parses the content of a NULL, or the odd byte of a BMPString, as the next element.

/** The parts of an element that other code needs. */
export interface Asn1Element {
  readonly kind: "integer" | "identifier" | "octets" | "chunks" | "sequence" | "tagged" | "other";
  /** Number of a tagged element. */
  readonly number?: number;
  /** Content of an integer. */
  readonly content?: Uint8Array;
  /** Whether part of the content is parsed as the next element; an end marker cannot follow directly. */
  readonly unread?: boolean;
  /** Elements of a sequence with a definite length. */
  readonly elements?: readonly Asn1Element[];
}

const CONSTRUCTED = 0x20;
const APPLICATION = 0x40;
const TAGGED = 0x80;
const LONG_TAG = 0x1f;
const INDEFINITE = 0x80;
const MAX_LENGTH_BYTES = 4;
/** Far more than any signature needs. The client's own limit is its stack. */
const MAX_DEPTH = 200;

/** Universal tag numbers. */
const TAG = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  identifier: 6,
  external: 8,
  enumerated: 10,
  sequence: 16,
  set: 17,
  bmpString: 30,
} as const;

/**
 * Text and time types: UTF-8, numeric to general (not restricted to graphic characters), universal. Their content is
 * not checked.
 */
const OPAQUE: ReadonlySet<number> = new Set([12, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28]);

function malformed(reason: string): BridgeError {
  return new BridgeError({ code: "ASN1", reason });
}

/** Parses the first element and ignores the bytes after it. Throws {@link BridgeError} `ASN1` if it is malformed. */
export function readAsn1(data: Uint8Array): Asn1Element {
  return new Asn1Reader(data).element({ end: data.length, limit: data.length, streamed: false, depth: 0 });
}

/** Bounds and context of an element. */
interface Place {
  /** Upper bound of its end. */
  readonly end: number;
  /** A length of more than one byte must be below this. */
  readonly limit: number;
  /** Inside a tagged element or one of indefinite length, the client uses a different parser. */
  readonly streamed: boolean;
  readonly depth: number;
}

class Asn1Reader {
  private at = 0;

  constructor(private readonly data: Uint8Array) {}

  element(place: Place): Asn1Element {
    const { end, limit, depth } = place;
    if (depth > MAX_DEPTH) throw malformed("nested too deep");
    const tag = this.byte(end);
    const number = (tag & LONG_TAG) === LONG_TAG ? this.longTag(end) : tag & LONG_TAG;
    const length = this.length(end, limit);
    const constructed = (tag & CONSTRUCTED) !== 0;
    if (length === undefined) {
      if (!constructed) throw malformed("primitive element of indefinite length");
      return structure(tag, number, this.untilEndMark({ end, limit, streamed: true, depth: depth + 1 }), true);
    }
    if ((tag & APPLICATION) !== 0) return this.skip(length, end, { kind: "other" });
    if ((tag & TAGGED) !== 0 && !constructed) return this.skip(length, end, { kind: "tagged", number });
    if (!constructed) return this.primitive(number, length, end);
    if (length > end - this.at) throw malformed("truncated");
    const streamed = place.streamed || (tag & TAGGED) !== 0;
    const elements = this.elements({ end: this.at + length, limit: length, streamed, depth: depth + 1 });
    return { ...structure(tag, number, elements, streamed), elements };
  }

  private byte(end: number): number {
    if (this.at >= end) throw malformed("truncated");
    return this.data[this.at++]!;
  }

  private take(length: number, end: number): Uint8Array {
    const start = this.at;
    if (length > end - start) throw malformed("truncated");
    this.at = start + length;
    return this.data.subarray(start, this.at);
  }

  private skip(length: number, end: number, element: Asn1Element): Asn1Element {
    this.take(length, end);
    return element;
  }

  /** A 32-bit number, seven bits per byte. */
  private longTag(end: number): number {
    let byte = this.byte(end);
    if ((byte & 0x7f) === 0) throw malformed("tag number");
    let number = 0;
    for (; (byte & 0x80) !== 0; byte = this.byte(end)) number = (number | (byte & 0x7f)) << 7;
    return number | byte;
  }

  /** Undefined for an element of indefinite length. */
  private length(end: number, limit: number): number | undefined {
    const first = this.byte(end);
    if (first < INDEFINITE) return first;
    if (first === INDEFINITE) return undefined;
    const size = first & 0x7f;
    if (size > MAX_LENGTH_BYTES) throw malformed("length field too long");
    let length = 0;
    for (let i = 0; i < size; i++) length = (length << 8) + this.byte(end);
    if (length < 0 || length >= limit) throw malformed("length");
    return length;
  }

  private elements(place: Place): Asn1Element[] {
    const elements: Asn1Element[] = [];
    while (this.at < place.end) elements.push(this.element(place));
    return elements;
  }

  private untilEndMark(place: Place): Asn1Element[] {
    const elements: Asn1Element[] = [];
    const isEndMark = (): boolean => this.data[this.at] === 0 && this.data[this.at + 1] === 0;
    while (elements.at(-1)?.unread || !isEndMark()) elements.push(this.element(place));
    this.take(2, place.end);
    return elements;
  }

  private primitive(number: number, length: number, end: number): Asn1Element {
    // The content of a NULL and the odd byte of a two-byte string are left unread.
    if (number === TAG.null) return { kind: "other", unread: length > 0 };
    const odd = length % 2;
    if (number === TAG.bmpString) return this.skip(length - odd, end, { kind: "other", unread: odd > 0 });
    const content = this.take(length, end);
    switch (number) {
      case TAG.integer:
        if (isRedundant(content)) throw malformed("integer");
        return { kind: "integer", content };
      case TAG.enumerated:
        if (length === 0 || isRedundant(content)) throw malformed("enumerated");
        return { kind: "other" };
      case TAG.boolean:
        if (length !== 1) throw malformed("boolean");
        return { kind: "other" };
      case TAG.bitString:
        if (length === 0 || content[0]! > 7 || (length === 1 && content[0] !== 0)) throw malformed("bit string");
        return { kind: "other" };
      case TAG.octetString:
        return { kind: "octets" };
      case TAG.identifier:
        return { kind: "identifier" };
    }
    if (!OPAQUE.has(number)) throw malformed(`tag ${number}`);
    return { kind: "other" };
  }
}

/** Whether the first byte of an integer is redundant. */
function isRedundant([first, second]: Uint8Array): boolean {
  if (second === undefined) return false;
  return (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
}

/** The element that these elements form; the content of application-specific tags is not checked. */
function structure(tag: number, number: number, elements: readonly Asn1Element[], streamed: boolean): Asn1Element {
  if ((tag & APPLICATION) !== 0) return { kind: "other" };
  if ((tag & TAGGED) !== 0) return { kind: "tagged", number };
  switch (number) {
    case TAG.sequence:
      return { kind: "sequence" };
    case TAG.set:
      return { kind: "other" };
    case TAG.octetString:
      if (!elements.every(({ kind }) => kind === "octets" || (streamed && kind === "chunks"))) {
        throw malformed("octet string");
      }
      return { kind: "chunks" };
    case TAG.external:
      if (!isExternal(elements)) throw malformed("external");
      return { kind: "other" };
  }
  throw malformed(`tag ${number}`);
}

/** An optional identifier, integer and description, then an element with a tag of 0 to 2. */
function isExternal(elements: readonly Asn1Element[]): boolean {
  let at = 0;
  if (elements[at]?.kind === "identifier") at++;
  if (elements[at]?.kind === "integer") at++;
  if (elements[at] !== undefined && elements[at]!.kind !== "tagged") at++;
  const [last, ...more] = elements.slice(at);
  return last?.kind === "tagged" && last.number! >= 0 && last.number! <= 2 && more.length === 0;
}
