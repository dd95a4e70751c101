import { grouped, list, text, toggle } from "../flags/flag.js";

/** Flags of commands that find published state. */
export const SITE_FLAGS = {
  "bootstrap.url": text("url", "address below which state is published (default: that of the network)"),
  "bootstrap.keys": list("hex", "public keys of the signers of published state (default: those of the network)"),
};

/** The same for `start`. */
export const BOOTSTRAP_FLAGS = grouped("Synchronisation", {
  bootstrap: toggle("start from the published state of the network if the data folder has no chain yet"),
  ...SITE_FLAGS,
});
