import type { ParentChain } from "@cambium/config";
import { fromHex } from "@cambium/primitives";

/** A parent-chain block with its position and chain work. */
export interface StoredParentBlock {
  /** Total work of the chain up to this block. */
  work: bigint;
  height: number;
  /** 80 bytes. */
  header: Uint8Array;
}

/** A checkpoint shipped with the client. */
export interface ParentCheckpoint extends StoredParentBlock {
  /** Header time, seconds. */
  time: number;
}

/** Parameters of a parent chain: `spec/06b-1 §3.2`. */
export interface ParentChainParameters {
  /** Version byte of P2PKH addresses. */
  publicKeyHashVersion: number;
  scriptHashVersion: number;
  genesis: StoredParentBlock;
  /** Upper bound of targets in headers. */
  maximumTarget: bigint;
  /** Difficulty adjustment: every 2016 blocks, the same with minimum-difficulty blocks after a wait, or never. */
  difficulty: "changing" | "withEasyBlocks" | "constant";
  /** First height whose chain work does not fit 12 bytes: until RSKIP-434, the store stops below it. */
  tooMuchWorkHeight?: number;
  /**
   * Checkpoints in ascending order, limited to those that a federation's creation time can select. The times of later
   * federations are milliseconds interpreted as seconds, which selects the last checkpoint.
   */
  checkpoints: readonly ParentCheckpoint[];
}

/** The three networks' genesis blocks share version, coinbase and its Merkle root. */
function genesis(time: string, bits: string, nonce: string, work: bigint): StoredParentBlock {
  const version = "01000000";
  const merkleRoot = "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a";
  return { work, height: 0, header: fromHex(version + "00".repeat(32) + merkleRoot + time + bits + nonce) };
}

function checkpoint(height: number, time: number, work: bigint, header: string): ParentCheckpoint {
  return { height, time, work, header: fromHex(header) };
}

const WORK_AT_LOWEST_DIFFICULTY = 4295032833n;

/** Compact form `1d00ffff`. */
const LOWEST_DIFFICULTY_TARGET = 0xffffn << 208n;

const main: ParentChainParameters = {
  publicKeyHashVersion: 0,
  scriptHashVersion: 5,
  maximumTarget: LOWEST_DIFFICULTY_TARGET,
  difficulty: "changing",
  tooMuchWorkHeight: 849_138,
  genesis: genesis("29ab5f49", "ffff001d", "1dac2b7c", WORK_AT_LOWEST_DIFFICULTY),
  checkpoints: [
    checkpoint(
      499968,
      1513605320,
      248352467012964225447925459n,
      "00000020e37c80a7a8b850e3e89add09090b6b89b874496513ef89000000000000000000285ddc7985e7c34eb205d2c3129727f7bc10873e11e054b48d1a92786a42d7d2c8c8375a459600189b3aa792",
    ),
  ],
};

const test: ParentChainParameters = {
  publicKeyHashVersion: 111,
  scriptHashVersion: 196,
  maximumTarget: LOWEST_DIFFICULTY_TARGET,
  difficulty: "withEasyBlocks",
  genesis: genesis("dae5494d", "ffff001d", "1aa4ae18", WORK_AT_LOWEST_DIFFICULTY),
  checkpoints: [
    checkpoint(
      1413216,
      1536797113,
      3571864574700449901197n,
      "00000020c4891929bff550199ebac0f3c8691f19d84633de53da8af346000000000000000c109cfe5b24faa1e0174b788c7e3e8f2fb340bcee07a544914b167ad4c27b82b9a9995bf05f4c1908698a4b",
    ),
    checkpoint(
      1514016,
      1556877853,
      4986799408821708734996n,
      "0000ff3f08d61fcf532a044364f0648a41a55bba405d5aa0bf6f415d8402000000000000a4fb1664d00ae4448dbdf8f99f1a78f7c5bb8036fd69d6f34aed5ee62386f65c1d12cc5cf886021ae7c52b17",
    ),
  ],
};

const regtest: ParentChainParameters = {
  publicKeyHashVersion: 111,
  scriptHashVersion: 196,
  // Written with 66 digits in the deployed client, which is larger than any hash.
  maximumTarget: (1n << 263n) - 1n,
  difficulty: "constant",
  genesis: genesis("dae5494d", "ffff7f20", "02000000", 2n),
  checkpoints: [],
};

export const PARENT_CHAINS: Readonly<Record<ParentChain, ParentChainParameters>> = { main, test, regtest };
