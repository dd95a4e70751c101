import { encodeRlp, fromHex, RawRlp } from "@cambium/primitives";
import type { RskMessage } from "../../src/rsk/messages.js";
import type { Json } from "./recordings.js";

/** Returns the type for a name in the recordings that differs. */
export function typeOf(name: string): RskMessage["type"] {
  const type = name === "EthStatus" ? "networkStatus" : name[0]!.toLowerCase() + name.slice(1);
  return type as RskMessage["type"];
}

/** The message that the fields of a catalogue entry describe. */
export function messageOf(name: string, fields: Json): RskMessage {
  const type = typeOf(name);
  const id = "id" in fields ? { id: BigInt(fields.id) } : {};
  return { type, ...id, ...contentOf(type, fields) } as RskMessage;
}

const list = (values: Json): Uint8Array[] => values.map((value: Json) => fromHex(value.rlp ?? value));
const blockIds = (values: Json) => values.map(({ hash, number }: Json) => ({ hash: fromHex(hash), number }));

function contentOf(type: RskMessage["type"], fields: Json): object {
  switch (type) {
    case "networkStatus":
      return {
        ...pick(fields, "protocolVersion", "networkId"),
        totalDifficulty: BigInt(fields.totalDifficulty),
        bestHash: fromHex(fields.bestHash),
        genesisHash: fromHex(fields.genesisHash),
      };
    case "status":
      return {
        bestNumber: fields.bestNumber,
        bestHash: fromHex(fields.bestHash),
        ...(fields.bestParentHash && {
          bestParentHash: fromHex(fields.bestParentHash),
          totalDifficulty: BigInt(fields.totalDifficulty),
        }),
      };
    case "block":
    case "blockResponse":
      return { block: fromHex(fields.block.rlp) };
    case "newBlockHashes":
    case "skeletonResponse":
      return { blocks: blockIds(fields.identifiers) };
    case "transactions":
      return { transactions: list(fields.transactions) };
    case "blockHashRequest":
      return pick(fields, "height");
    case "blockHeadersResponse":
      return { headers: list(fields.headers) };
    case "skeletonRequest":
      return pick(fields, "start");
    case "bodyResponse":
      return {
        transactions: list(fields.transactions),
        uncles: encodeRlp(list(fields.uncles).map((uncle) => new RawRlp(uncle))),
        extension: fields.extension && fromHex(fields.extension),
      };
    case "snapStateChunkRequest":
      return { ...pick(fields, "blockNumber", "chunkSize"), from: fields.frm };
    case "snapStateChunkResponse":
      return {
        encoded: fromHex(fields.chunk),
        ...pick(fields, "blockNumber", "to"),
        from: fields.frm,
        complete: fields.complete === 1,
      };
    case "snapBlocksRequest":
      return { below: fields.blockNumber };
    case "snapStatusResponse":
    case "snapBlocksResponse":
      return {
        blocks: list(fields.blocks),
        totalDifficulties: fields.difficulties.map(BigInt),
        ...pick(fields, ...("trieSize" in fields ? ["trieSize"] : [])),
      };
    default:
      return hashAndCount(fields);
  }
}

/** Fields of requests by hash, and of messages that are only a hash. */
function hashAndCount(fields: Json): object {
  const { hash, count } = fields;
  return { ...(hash === undefined ? {} : { hash: fromHex(hash) }), ...(count === undefined ? {} : { count }) };
}

function pick(fields: Json, ...keys: string[]): object {
  return Object.fromEntries(keys.map((key) => [key, fields[key]]));
}
