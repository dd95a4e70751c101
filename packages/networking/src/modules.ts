import type { Logger } from "@cambium/primitives";
import type { Timings } from "./libp2p/timings.js";
import type { PeerScoring } from "./scoring/interface.js";
import type { ServedSources } from "./served-sources.js";

/** What the network works with besides its options. */
export interface NetworkModules {
  sources: ServedSources;
  scoring: PeerScoring;
  logger: Logger;
  /** Those of `spec/07 §D.5` by default. */
  timings?: Timings;
}
