import { bigintToBytes, encodeRlp, numberToBytes, utf8 } from "@cambium/primitives";
import type { PeerStatus } from "../../interface.js";
import { malformed, readBigUint, readBytes, readHash, readUint, readWholeList } from "../../rlp.js";
import { KIB, TOTAL_DIFFICULTY_BYTES } from "../../shared/limits.js";
import { smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "status";
const VERSION = 1;
const FIELDS = 11;
/** Maximum number of fields: later versions may add some. */
const MAX_FIELDS = 32;
const CLIENT_ID_BYTES = 64;

/** The content of Status (`spec/07 §D.4`). */
export interface Status extends PeerStatus {
  chainId: number;
  /** Hash of the genesis block. All hashes have 32 bytes. */
  genesisHash: Uint8Array;
  /** Hash of the best block's parent; zeros if the best block is known from gossip. */
  bestParentHash: Uint8Array;
  /** Bit field; bit 0: {@link SERVES_SNAPSHOTS}. */
  flags: number;
  /** Listening port; 0 if the node does not listen. */
  listenPort: number;
}

export const SERVES_SNAPSHOTS = 1;

/** The exchange of Status; request and answer have the same form. */
export const statusProtocol: Protocol<Status, Status> = {
  name: "status",
  bounds: smallBounds(KIB, { requestBytes: KIB }),
  rate: { tokens: 5, window: 15_000 },
  items: () => 1,
  encodeRequest: encodeStatus,
  decodeRequest: decodeStatus,
  encodeItem: encodeStatus,
  decodeItem: decodeStatus,
};

function encodeStatus(status: Status): Uint8Array {
  return encodeRlp([
    numberToBytes(VERSION),
    numberToBytes(status.chainId),
    status.genesisHash,
    numberToBytes(status.bestNumber),
    status.bestHash,
    status.bestParentHash,
    bigintToBytes(status.totalDifficulty),
    numberToBytes(status.earliestBody),
    numberToBytes(status.flags),
    numberToBytes(status.listenPort),
    utf8(status.clientId),
  ]);
}

/** Decodes Status. Ignores fields that a later version may have added (`spec/07 §D.4`). */
function decodeStatus(bytes: Uint8Array): Status {
  const items = readWholeList(bytes, WHAT, MAX_FIELDS);
  if (items.length < FIELDS) throw malformed(WHAT, `${items.length} items instead of ${FIELDS}`);
  const version = readUint(items[0]!, "status version");
  if (version !== VERSION) throw malformed("status version", `${version}`);
  const totalDifficulty = readBigUint(items[6]!, "status total difficulty", TOTAL_DIFFICULTY_BYTES);
  if (totalDifficulty === 0n) throw malformed("status total difficulty", "zero");
  return {
    chainId: readUint(items[1]!, "status chain id"),
    genesisHash: readHash(items[2]!, "status genesis hash"),
    bestNumber: readUint(items[3]!, "status best number"),
    bestHash: readHash(items[4]!, "status best hash"),
    bestParentHash: readHash(items[5]!, "status best parent hash"),
    totalDifficulty,
    earliestBody: readUint(items[7]!, "status earliest body"),
    flags: readUint(items[8]!, "status flags"),
    listenPort: readUint(items[9]!, "status listen port", 0xffff),
    clientId: readText(readBytes(items[10]!, "status client id", CLIENT_ID_BYTES)),
  };
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw malformed("status client id", "not UTF-8", error);
  }
}
