import { LruCache } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { ScoringEvent } from "../scoring/events.js";
import { type Goodbye, REDIAL_DELAYS } from "./goodbye-reasons.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Maximum number of peers and events whose minor offences are remembered. */
const MAX_COUNTED = 1024;

/** The consequence of an offence besides its score, in milliseconds. */
export interface Sanction {
  goodbye: Goodbye;
  /** Time during which the peer is not dialled. */
  noDialFor: number;
}

interface Rule extends Sanction {
  /** Number of events within `window` that lead to the sanction. */
  count: number;
  window: number;
}

const AT_ONCE = { count: 1, window: MINUTE };

/** Rules of the column "extra" in `spec/07 §D.9`. */
const RULES: { readonly [Event in ScoringEvent]?: Rule } = {
  INVALID_BLOCK: { ...AT_ONCE, goodbye: "misbehaved", noDialFor: 0 },
  INVALID_MESSAGE: { ...AT_ONCE, goodbye: "misbehaved", noDialFor: 0 },
  UNREADABLE_MESSAGE: { ...AT_ONCE, goodbye: "misbehaved", noDialFor: REDIAL_DELAYS.misbehaved },
  INVALID_HEADER: { ...AT_ONCE, goodbye: "misbehaved", noDialFor: 0 },
  INVALID_NETWORK: { ...AT_ONCE, goodbye: "wrongNetwork", noDialFor: HOUR },
  UNEXPECTED_GENESIS: { ...AT_ONCE, goodbye: "wrongNetwork", noDialFor: HOUR },
  INCOMPATIBLE_PROTOCOL: { ...AT_ONCE, goodbye: "wrongNetwork", noDialFor: HOUR },
  FAILED_HANDSHAKE: { ...AT_ONCE, goodbye: "tooSlow", noDialFor: 0 },
  INVALID_TRANSACTION: { count: 20, window: MINUTE, goodbye: "misbehaved", noDialFor: 0 },
  REPEATED_MESSAGE: { count: 10, window: MINUTE, goodbye: "misbehaved", noDialFor: 0 },
  TIMEOUT_MESSAGE: { count: 5, window: 10 * MINUTE, goodbye: "tooSlow", noDialFor: 5 * MINUTE },
};

/** Decides which peers are disconnected. Minor offences are remembered across connections. */
export class Sanctions {
  private readonly offences = new LruCache<string, number[]>(MAX_COUNTED);

  constructor(private readonly now: () => number) {}

  /** Counts an event; returns the sanction that it leads to, or undefined. */
  record(peer: PeerId, event: ScoringEvent): Sanction | undefined {
    const rule = RULES[event];
    if (rule === undefined) return undefined;
    if (rule.count === 1) return rule;
    const key = `${event} ${peer}`;
    const now = this.now();
    const recent = (this.offences.get(key) ?? []).filter((at) => at > now - rule.window);
    recent.push(now);
    const isEnough = recent.length >= rule.count;
    this.offences.set(key, isEnough ? [] : recent);
    return isEnough ? rule : undefined;
  }
}
