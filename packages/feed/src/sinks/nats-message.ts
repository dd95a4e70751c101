import type { StoredMessage } from "@cambium/replication";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { Row } from "../schema.js";
import type { Position, StoredContent } from "../sink.js";

/** Kinds of messages; `block` and `retracted` complete a block and its retraction. */
const KINDS = ["rows", "block", "retraction", "retracted"] as const;
export type FeedMessageKind = (typeof KINDS)[number];

/** Headers of a message of the stream. */
export interface FeedMessage {
  content: StoredContent;
  kind: FeedMessageKind;
  block: Position;
  /**
   * Sequence number of the message that completes the previous block, or, if this message completes none, the latest
   * block. 0 if there is none.
   */
  below: number;
}

const CHAIN = "Cambium-Chain";
const TABLES = "Cambium-Tables";
const KIND = "Cambium-Kind";
const BLOCK = "Cambium-Block";
const POSITION = "Cambium-Position";
const AT = "Cambium-At";
const BELOW = "Cambium-Below";

/** Encodes the headers of a message. `held` is the last complete block of the stream after the message. */
export function feedHeaders({ content, kind, block, below }: FeedMessage, held: Position | undefined): MsgHdrs {
  const out = headers();
  out.set(CHAIN, `${content.chainId}-${content.genesis}`);
  out.set(TABLES, String(content.tables));
  out.set(KIND, kind);
  out.set(BLOCK, `${block.number}-${block.hash}`);
  if (held !== undefined) out.set(POSITION, `${held.number}-${held.hash}`);
  out.set(kind === "block" ? BELOW : AT, String(below));
  return out;
}

const NUMBER_AND_HASH = /^(0|[1-9]\d{0,14})-(0x[0-9a-f]{64})$/;

/** Inverse of {@link feedHeaders}. Returns undefined for a message that refers to a later one, which no feed sends. */
export function readFeedMessage({ seq, headers: from }: StoredMessage): FeedMessage | undefined {
  if (from === undefined) return undefined;
  const kind = KINDS.find((one) => one === from.get(KIND));
  const chain = NUMBER_AND_HASH.exec(from.get(CHAIN));
  const block = NUMBER_AND_HASH.exec(from.get(BLOCK));
  const below = /^(0|[1-9]\d{0,14})$/.exec(from.get(kind === "block" ? BELOW : AT));
  if (kind === undefined || !chain || !block || !below || Number(below[0]) >= seq) return undefined;
  return {
    content: { chainId: chain[1], genesis: chain[2], tables: from.get(TABLES) },
    kind,
    block: { number: Number(block[1]), hash: block[2]! },
    below: Number(below[0]),
  };
}

/** Splits rows into JSON arrays of at most about `length` characters each, or of a single row. */
export function rowArrays(rows: readonly Row[], length: number): string[] {
  const arrays: string[] = [];
  let [texts, size] = [[] as string[], 0];
  const end = () => {
    if (texts.length > 0) arrays.push(`[${texts.join(",")}]`);
    [texts, size] = [[], 0];
  };
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (size + text.length >= length) end();
    texts.push(text);
    size += text.length + 1;
  }
  end();
  return arrays;
}
