import { randomBytes } from "node:crypto";
import { toData } from "@cambium/primitives";

/** 32 random bytes in hex. */
export function newInstanceId(): string {
  return toData(randomBytes(32));
}
