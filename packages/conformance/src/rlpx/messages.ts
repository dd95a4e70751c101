import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { decodeMessage, encodeMessage, RlpxError, type RskMessage } from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { fieldsOf } from "./message-fields.js";

/** Codes from here on belong to the capability. */
const FIRST_CODE = 0x10;

type Fields = Readonly<Record<string, unknown>>;

interface CatalogueMessage {
  name: string;
  note?: string;
  code: number;
  payload: string;
  fields: Fields;
}

/** Decodes a message of each type, compares its fields and encodes it again. Base messages are left out. */
export function* runMessages(file: VectorFile): Iterable<CaseResult> {
  const { messages } = JSON.parse(file.text()) as { messages: readonly CatalogueMessage[] };
  for (const [i, { name, note, code, payload, fields }] of messages.entries()) {
    if (code < FIRST_CODE) continue;
    const comparison = new Comparison(`${i} ${name}${note === undefined ? "" : `, ${note}`}`);
    compareMessage(comparison, { name, code, payload: fromHex(payload), fields }, NETWORKS.local, true);
    yield comparison.result();
  }
}

/** A decrypted message of the capability, with its recording. */
export interface ReceivedMessage {
  name: string;
  code: number;
  payload: Uint8Array;
  fields: Fields;
}

/** Compares the fields of a message, and the bytes to which it is encoded. `isFull`: the fields have all its bytes. */
export function compareMessage(
  comparison: Comparison,
  { name, code, payload, fields }: ReceivedMessage,
  network: NetworkConfig,
  isFull: boolean,
): void {
  const message = decode(code, payload);
  comparison.equal("name", message && recordedName(message), name);
  if (message === undefined) return;
  const difference = firstDifference(fieldsOf(message, network, isFull), fields, "fields");
  comparison.equal("difference", difference, undefined);
  const encoded = encodeMessage(message);
  comparison.equal("code", encoded.code, code).equal("payload", toHex(encoded.payload), toHex(payload));
}

function decode(code: number, payload: Uint8Array): RskMessage | undefined {
  try {
    return decodeMessage(code, payload);
  } catch (error) {
    if (error instanceof RlpxError) return undefined;
    throw error;
  }
}

function recordedName({ type }: RskMessage): string {
  return type === "networkStatus" ? "EthStatus" : type[0]!.toUpperCase() + type.slice(1);
}
