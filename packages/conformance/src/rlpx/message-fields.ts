import type { NetworkConfig } from "@cambium/config";
import { decodeRlpList, keccak256, toHex } from "@cambium/primitives";
import type { RskMessage } from "@cambium/rlpx";
import { BlockHeader } from "@cambium/types";

// The fields of a message as the recordings have them: bytes in hex, difficulties in decimal. `isFull` adds the RLP of
// blocks and headers, and replaces hashes of transactions and chunks by their bytes.

/** Number of blocks of a snapshot from which they are recorded in short form. */
const LONG_LIST = 5;
const COMPRESSED_FIELDS = 20;
const FULL_FIELDS = 22;

type Fields = Record<string, unknown>;

export function fieldsOf(message: RskMessage, network: NetworkConfig, isFull: boolean): Fields {
  const recorder = new FieldRecorder(network, isFull);
  const id = "id" in message ? { id: Number(message.id) } : {};
  return { ...recorder.content(message), ...id };
}

class FieldRecorder {
  constructor(
    private readonly network: NetworkConfig,
    private readonly isFull: boolean,
  ) {}

  content(message: RskMessage): Fields {
    switch (message.type) {
      case "block":
      case "blockResponse":
        return { block: this.block(message.block) };
      case "newBlockHashes":
      case "skeletonResponse":
        return { identifiers: message.blocks.map(({ hash, number }) => ({ hash: toHex(hash), number })) };
      case "transactions":
        return { transactions: this.transactions(message.transactions) };
      case "blockHeadersResponse":
        return { headers: message.headers.map((header) => this.header(header)) };
      case "bodyResponse":
        return {
          transactions: this.transactions(message.transactions),
          uncles: decodeRlpList(message.uncles).map(({ raw }) => this.header(raw)),
          ...(message.extension && { extension: toHex(message.extension) }),
        };
      case "snapStateChunkRequest":
        return { blockNumber: message.blockNumber, frm: message.from, chunkSize: message.chunkSize };
      case "snapStateChunkResponse":
        return {
          chunk: this.bytes(message.encoded),
          chunkLength: message.encoded.length,
          blockNumber: message.blockNumber,
          frm: message.from,
          to: message.to,
          complete: message.complete ? 1 : 0,
        };
      case "snapBlocksRequest":
        return { blockNumber: message.below };
      case "snapStatusResponse":
        return { ...this.snapshot(message.blocks, message.totalDifficulties), trieSize: message.trieSize };
      case "snapBlocksResponse":
        return this.snapshot(message.blocks, message.totalDifficulties);
      default:
        return plainFields(message);
    }
  }

  private bytes(value: Uint8Array): string {
    return toHex(this.isFull ? value : keccak256(value));
  }

  private transactions(encoded: readonly Uint8Array[]): string[] {
    return encoded.map((transaction) => this.bytes(transaction));
  }

  private block(encoded: Uint8Array): Fields {
    const [header, transactions, uncles] = decodeRlpList(encoded);
    const { number, hash } = BlockHeader.decode(header!.raw, this.network);
    return {
      number,
      hash: toHex(hash),
      transactions: transactions!.items.length,
      uncles: uncles!.items.length,
      size: encoded.length,
      ...this.rlp(encoded),
    };
  }

  private header(encoded: Uint8Array): Fields {
    const form = formOf(decodeRlpList(encoded).length);
    const { number, hash, version } = BlockHeader.decode(
      encoded,
      this.network,
      form === "full" ? "full" : "compressed",
    );
    return { number, hash: toHex(hash), form, version, ...this.rlp(encoded) };
  }

  private rlp(encoded: Uint8Array): Fields {
    return this.isFull ? { rlp: toHex(encoded) } : {};
  }

  private snapshot(blocks: readonly Uint8Array[], totalDifficulties: readonly bigint[]): Fields {
    const count = blocks.length;
    if (this.isFull || count < LONG_LIST) {
      return { blocks: blocks.map((block) => this.block(block)), difficulties: totalDifficulties.map(String) };
    }
    return {
      blocks: { count, first: this.block(blocks[0]!), last: this.block(blocks.at(-1)!) },
      difficulties: [totalDifficulties[0], totalDifficulties.at(-1)].map(String),
    };
  }
}

function formOf(fields: number): string {
  if (fields >= FULL_FIELDS) return "full";
  return fields === COMPRESSED_FIELDS ? "compressed" : "genesis";
}

/** Fields that the recordings name like the message. */
function plainFields({ type, ...fields }: RskMessage): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value)]));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  return typeof value === "bigint" ? value.toString() : value;
}
