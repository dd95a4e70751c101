import type { Capability } from "../transport/hello.js";

/** Name of the capability. */
const NAME = "rsk";
/** The deployed client's version. */
export const FIRST_VERSION = 62;
/** Version of draft RSKIP-697: a node states which blocks it serves. */
export const RANGE_VERSION = 63;

/** Capabilities offered in Hello. The deployed client also takes the highest version that it knows. */
export const RSK_CAPABILITIES: readonly Capability[] = [FIRST_VERSION, RANGE_VERSION].map((version) => ({
  name: NAME,
  version,
}));

/** The highest version that a peer and this node have in common. */
export function commonVersion(capabilities: readonly Capability[]): number {
  const offered = capabilities.filter(({ name }) => name === NAME).map(({ version }) => version);
  return offered.includes(RANGE_VERSION) ? RANGE_VERSION : FIRST_VERSION;
}
