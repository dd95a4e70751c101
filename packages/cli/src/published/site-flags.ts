import { list, text } from "../flags/flag.js";

/** Flags of commands that find published state. */
export const SITE_FLAGS = {
  "bootstrap.url": text("url", "address below which state is published (default: that of the network)"),
  "bootstrap.keys": list("hex", "public keys of the signers of published state (default: those of the network)"),
};
