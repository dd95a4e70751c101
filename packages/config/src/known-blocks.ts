import { fromHex } from "@cambium/primitives";
import type { NetworkConfig } from "./network.js";
import { main } from "./networks.js";

/** Facts about a block of a public network with which a database can be compared: `spec/02 §1.5`. */
export interface KnownBlock {
  number: number;
  hash?: Uint8Array;
  /** The header's; from RSKIP-126 on it is the root of the state after the block. */
  stateRoot?: Uint8Array;
  /** Sum of the difficulties of all blocks up to this one, and of their uncles. */
  totalDifficulty?: bigint;
}

function known(number: number, hash?: string, stateRoot?: string, totalDifficulty?: bigint): KnownBlock {
  return {
    number,
    ...(hash !== undefined && { hash: fromHex(hash) }),
    ...(stateRoot !== undefined && { stateRoot: fromHex(stateRoot) }),
    ...(totalDifficulty !== undefined && { totalDifficulty }),
  };
}

const MAIN: readonly KnownBlock[] = [
  known(
    0,
    "f88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0",
    "9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01",
    1_048_576n,
  ),
  known(
    10_000,
    "5147931463d6f2e6713ef44d2553a123aee54ed1184c5ecfabe54cec351d2c4e",
    "83ff52f9edc4e931f548ee1064d4a393c6a2c4032127f0f18bce579efb7be680",
  ),
  known(
    4_232_826,
    "93211a1cd17e154b183565ec685254a03f844a8e34824a46ce1bdd6753dcb669",
    "04d7bc816537ea7ef3a16e76c9879d29f34f99d4154273c2e98e012a31bad745",
  ),
  known(
    4_480_894,
    "8c693beb374a9cc2b020f00709b4037abc819f772f32b09aaf46a4eef4a19745",
    "0a42ecb204f54ccc0b24e9668d4a485dddb8a7ddb15b25a80a49f72466a6f767",
  ),
  known(
    4_481_393,
    "6a78a0e87ab53aaeb1810ccfbab51a3f062bd221afa404c12aebfe41d3c88073",
    "7a4da5ef34d94058eab34f1261d281f8f7f01e7367e54a3665979e3a38a03362",
  ),
  known(
    7_350_282,
    "72751aa2396a1d034d87d6aecd6d653e985183f4fae380ebaac6c7ea7446ef08",
    "d4676f9e213ab42c6c9e521043fdb94c983980c8f978942a8378c4c03f5b984b",
  ),
  known(
    7_383_010,
    "8a98540106a9f43f1e9d3777a5caaf9313dfebed076dfa3ae3f9b849048553fe",
    "8c05261329396c4f541dd32464084863e871666ad6a82a1853ac08777e082e92",
  ),
  main.workCheckpoint!,
  known(9_288_884, undefined, "9dcfe963533cb43c5176d116693d330b3cf1998ac05d0826d61197648cb15e20"),
];

/** The known blocks of a built-in network, in ascending order; empty for any other network. */
export function knownBlocks(network: NetworkConfig): readonly KnownBlock[] {
  return network === main ? MAIN : [];
}
