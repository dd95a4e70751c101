import { randomBytes, timingSafeEqual } from "node:crypto";
import { concatBytes, keccak256, toHex, utf8 } from "@cambium/primitives";
import { REQUEST_TIMEOUT } from "./pending-requests.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

const SECRET_BYTES = 32;
/** Number of hex digits for the time in milliseconds at the beginning of an id. */
const TIME_DIGITS = 12;

/**
 * Message ids of pings to unknown nodes. An id encodes the time and the address of the ping, so nothing is stored for
 * addresses that may be false. A pong with the id proves that its sender receives packets at the address.
 */
export class EndpointProofs {
  private readonly secret = randomBytes(SECRET_BYTES);

  /** `now` returns milliseconds. */
  constructor(private readonly now: () => number) {}

  /** A UUID of version 4. */
  idFor(address: UdpAddress): string {
    return this.idAt(address, Math.floor(this.now()));
  }

  /** Whether the id was made for the address within {@link REQUEST_TIMEOUT}. */
  isValid(messageId: string, address: UdpAddress): boolean {
    const id = messageId.toLowerCase();
    const sentAt = Number.parseInt(id.replace("-", "").slice(0, TIME_DIGITS), 16);
    const age = this.now() - sentAt;
    if (age < 0 || age > REQUEST_TIMEOUT) return false;
    return timingSafeEqual(utf8(id), utf8(this.idAt(address, sentAt)));
  }

  private idAt(address: UdpAddress, time: number): string {
    const mac = keccak256(concatBytes(this.secret, utf8(`${time} ${addressKey(address)}`)));
    const [begin, end] = [time.toString(16).padStart(TIME_DIGITS, "0"), toHex(mac)];
    return `${begin.slice(0, 8)}-${begin.slice(8)}-4${end.slice(0, 3)}-8${end.slice(3, 6)}-${end.slice(6, 18)}`;
  }
}
