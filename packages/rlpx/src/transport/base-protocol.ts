/* Message codes of the base protocol (`spec/07 §A.2.4`). */

export const HELLO = 0x00;
export const DISCONNECT = 0x01;
export const PING = 0x02;
export const PONG = 0x03;
/** Codes that the reference client knows but never uses. */
export const GET_PEERS = 0x04;
export const PEERS = 0x05;

/** Code of the first message of the first capability. */
export const FIRST_CAPABILITY_CODE = 0x10;

/** The list without items, which Ping and Pong contain. */
export const EMPTY_LIST: Uint8Array = Uint8Array.of(0xc0);
