import type { Logger } from "@cambium/primitives";
import type { RlpxOptions } from "@cambium/rlpx";
import type { EclipseWatch } from "./peers/eclipse-watch.js";
import type { OwnKeyUse } from "./peers/own-key-use.js";
import type { SharedLimits } from "./peers/shared-limits.js";
import type { PeerScoring } from "./scoring/interface.js";
import type { ServedSources } from "./serving/served-sources.js";
import type { Timings } from "./shared/timings.js";

/** Dependencies of the network besides its options. */
export interface NetworkParts {
  sources: ServedSources;
  scoring: PeerScoring;
  logger: Logger;
  /** Time limits and intervals; by default those of `spec/07 §D.5`. */
  timings?: Timings;
  /** Random input of handshakes on the deployed network's wire; replaced to repeat recorded handshakes. */
  handshakeRandom?: RlpxOptions["random"];
}

/** Objects that the wires of a node share. */
export interface WireSetup {
  /** The node's private key, 32 bytes. */
  key: Uint8Array;
  limits: SharedLimits;
  eclipse: EclipseWatch;
  ownKey: OwnKeyUse;
}
