import type { Logger } from "@cambium/primitives";
import type { RlpxOptions } from "@cambium/rlpx";
import type { EclipseWatch } from "./peers/eclipse-watch.js";
import type { OwnKeyUse } from "./peers/own-key-use.js";
import type { SharedLimits } from "./peers/shared-limits.js";
import type { PeerScoring } from "./scoring/interface.js";
import type { ServedSources } from "./serving/served-sources.js";
import type { Timings } from "./shared/timings.js";

/** What the network works with besides its options. */
export interface NetworkParts {
  sources: ServedSources;
  scoring: PeerScoring;
  logger: Logger;
  /** Those of `spec/07 §D.5` by default. */
  timings?: Timings;
  /** Random input of handshakes on the deployed network's wire; replaced to repeat recorded ones. */
  handshakeRandom?: RlpxOptions["random"];
}

/** What the wires of a node share. */
export interface WireSetup {
  /** The node's private key, 32 bytes. */
  key: Uint8Array;
  limits: SharedLimits;
  eclipse: EclipseWatch;
  ownKey: OwnKeyUse;
}
