import { fromHex, toData, toQuantity } from "@cambium/primitives";
import * as z from "zod";
import { ConformanceError } from "../errors.js";
import { VECTOR_NETWORKS } from "../networks.js";
import { cellBytes } from "../pre-state.js";

// `test/vectors/differential/README.md`, section "Stories". Quantities are numbers or hex, byte strings hex with or
// without 0x.

const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^(0x[0-9a-f]+|\d+)$/i, "no quantity")
    .transform(Number),
]);
const safeNumber = number.refine((value) => Number.isSafeInteger(value) && value >= 0, "no safe integer");
const quantity = z.union([
  z.number().int().transform(BigInt),
  z
    .string()
    .regex(/^-?(0x[0-9a-f]+|\d+)$/i, "no quantity")
    .transform((text) => (text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text))),
]);
const hex = z.string().regex(/^(0x)?([0-9a-f]{2})*$/i, "no hex bytes");
const bytes = hex.transform(fromHex);
/** Hex text for comparison. */
const data = hex.transform((text) => toData(fromHex(text)));
const address = bytes.refine(({ length }) => length === 20, "no address");
const cell = z
  .string()
  .regex(/^0x[0-9a-f]*$/i, "no hex")
  .transform(cellBytes);

const account = z.object({
  nonce: quantity.transform(toQuantity),
  balance: quantity.transform(toQuantity),
  code: hex.optional(),
  storage: z.record(hex, z.string()).optional(),
  contract: z.boolean().optional(),
});

const log = z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() });

const executed = z.object({
  status: safeNumber,
  gasUsed: quantity,
  paidFees: quantity,
  receiptHash: data,
  /** Absent or null: no bytes. */
  output: data.nullish(),
  /** Keccak-256 of an output longer than 128 bytes. */
  outputHash: data.optional(),
  /** Implied by the receipt's hash. */
  logs: z.array(log).optional(),
});

const block = z
  .object({
    number: safeNumber,
    /** Seconds. */
    timestamp: quantity,
    gasLimit: quantity,
    coinbase: address,
    /** Cells of the bridge that are written before the block; null deletes. */
    patches: z.array(z.tuple([bytes, cell.nullable()])).default([]),
    txs: z.array(bytes),
    results: z.array(z.union([z.object({ rejected: z.unknown().refine((value) => Boolean(value)) }), executed])),
    receiptsRoot: data,
    postRoot: data,
  })
  .refine(({ txs, results }) => txs.length === results.length, "as many results as transactions are needed");

/** The schema of a story, for formats that add members. */
export const STORY = z.object({
  name: z.string().min(1),
  network: z.enum(VECTOR_NETWORKS),
  /** Accounts that replace recovered senders, by the sender's address. */
  aliases: z.record(hex, address).default({}),
  pre: z.record(hex, account),
  preRoot: data,
  blocks: z.array(block).refine(isAscending, "block numbers do not grow"),
});

function isAscending(blocks: readonly { number: number }[]): boolean {
  return blocks.every(({ number }, i) => i === 0 || number > blocks[i - 1]!.number);
}

/** Consecutive blocks of bridge transactions, each on the state of the previous one. */
export type Story = z.infer<typeof STORY>;
export type StoryBlock = Story["blocks"][number];
export type StoryResult = StoryBlock["results"][number];

/** Parses a story. Throws {@link ConformanceError} `MALFORMED`, which names the first malformed member. */
export function parseStory(json: unknown): Story {
  return parseWith(STORY, json);
}

/** Parses a story with the schema of its format. Throws as {@link parseStory} does. */
export function parseWith<T extends z.ZodType>(schema: T, json: unknown): z.infer<T> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new ConformanceError({ code: "MALFORMED", reason: `story ${nameOf(json)}, ${path.join(".")}: ${message}` });
}

function nameOf(json: unknown): string {
  return String((json as { name?: unknown } | null)?.name);
}
