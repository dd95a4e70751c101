import type { Capability } from "../transport/hello.js";

/** Name of the capability. */
const NAME = "rsk";
/** The deployed client's version. */
export const FIRST_VERSION = 62;
/** Draft RSKIP-697: a node says which blocks it serves. */
export const RANGE_VERSION = 63;

/** What this node offers in Hello: the deployed client takes the highest version that it knows, too. */
export const RSK_CAPABILITIES: readonly Capability[] = [FIRST_VERSION, RANGE_VERSION].map((version) => ({
  name: NAME,
  version,
}));

/** The highest version that a peer and this node have in common. */
export function commonVersion(capabilities: readonly Capability[]): number {
  const offered = capabilities.filter(({ name }) => name === NAME).map(({ version }) => version);
  return offered.includes(RANGE_VERSION) ? RANGE_VERSION : FIRST_VERSION;
}
