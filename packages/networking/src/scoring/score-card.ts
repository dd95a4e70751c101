import { SCORING_EVENTS, type ScoringEvent } from "./events.js";
import type { ScoringReport } from "./interface.js";
import { type PunishmentRule, punishmentDuration } from "./punishment.js";

/** Effects of events on a score (`spec/07 §C.2`, and `§D.9` for events of other networks). */
const LOWERING: ReadonlySet<ScoringEvent> = new Set<ScoringEvent>([
  "INVALID_NETWORK",
  "INVALID_BLOCK",
  "INVALID_TRANSACTION",
  "INVALID_MESSAGE",
  "UNREADABLE_MESSAGE",
  "INVALID_HEADER",
]);
const RAISING: ReadonlySet<ScoringEvent> = new Set<ScoringEvent>(["VALID_BLOCK", "VALID_TRANSACTION", "DISCONNECTION"]);

/** Events that lead to a punishment when they occur once (`spec/07 §C.3`). */
const PUNISHED: readonly ScoringEvent[] = ["INVALID_BLOCK", "INVALID_MESSAGE", "INVALID_HEADER"];
/** Milliseconds within which a second UNREADABLE_MESSAGE leads to a punishment (`spec/07 §D.9`). */
const REPEATED_WITHIN = 3_600_000;

/** A card as stored. */
export interface StoredScoreCard {
  /** Counters above 0. */
  counters: Readonly<Partial<Record<ScoringEvent, number>>>;
  score: number;
  punishments: number;
  /** Start of the punishment in milliseconds since 1970, and its duration in milliseconds; both 0 if not punished. */
  punishedAt: number;
  punishedFor: number;
}

/** Counters, score and punishment of one peer or address. Times are milliseconds. */
export class ScoreCard {
  private readonly counters = new Map<ScoringEvent, number>();
  private points = 0;
  private punishments = 0;
  private punishedAt = 0;
  private punishedFor = 0;
  /** Time of the last UNREADABLE_MESSAGE. Not stored: a restart forgives a first offence. */
  private unreadableAt = Number.NEGATIVE_INFINITY;

  /** `rule` undefined: there are no punishments. */
  constructor(private readonly rule: PunishmentRule | undefined) {}

  /** A punishment that began in the future, because the clock was set back, lasts its time from now. */
  static restore(rule: PunishmentRule | undefined, stored: StoredScoreCard, now: number): ScoreCard {
    const card = new ScoreCard(rule);
    for (const event of SCORING_EVENTS) {
      const count = stored.counters[event];
      if (count !== undefined) card.counters.set(event, count);
    }
    card.points = stored.score;
    card.punishments = stored.punishments;
    if (rule !== undefined) {
      card.punishedAt = Math.min(stored.punishedAt, now);
      card.punishedFor = stored.punishedFor;
    }
    return card;
  }

  stored(): StoredScoreCard {
    return {
      counters: Object.fromEntries(this.counters),
      score: this.points,
      punishments: this.punishments,
      punishedAt: this.punishedAt,
      punishedFor: this.punishedFor,
    };
  }

  get score(): number {
    return this.points;
  }

  /**
   * Records an event. Returns whether a punishment begins. If an earlier one is over, all counters are reset, including
   * this event's.
   */
  record(event: ScoringEvent, now: number): boolean {
    this.counters.set(event, this.count(event) + 1);
    if (LOWERING.has(event)) this.points = Math.min(this.points, 0) - 1;
    else if (RAISING.has(event) && this.points >= 0) this.points += 1;
    const isRepeated = event === "UNREADABLE_MESSAGE" && now - this.unreadableAt < REPEATED_WITHIN;
    if (event === "UNREADABLE_MESSAGE") this.unreadableAt = now;
    const deserved = this.isGood(now) && (isRepeated || PUNISHED.some((one) => this.count(one) > 0));
    if (!deserved || this.rule === undefined) return false;
    this.punishedFor = punishmentDuration(this.rule, this.punishments, this.points);
    this.punishedAt = now;
    this.punishments += 1;
    return true;
  }

  /**
   * Whether the subject is not under punishment. The end of a punishment resets everything except the number of
   * punishments.
   */
  isGood(now: number): boolean {
    if (this.punishedFor === 0) return true;
    if (this.punishedAt + this.punishedFor > now) return false;
    this.counters.clear();
    this.points = 0;
    this.punishedAt = 0;
    this.punishedFor = 0;
    return true;
  }

  /** Counters are read before the reset: the first report after a punishment still shows them (`spec/07 §C.5`). */
  report(id: string, type: ScoringReport["type"], now: number): ScoringReport {
    return {
      successfulHandshakes: this.count("SUCCESSFUL_HANDSHAKE"),
      failedHandshakes: this.count("FAILED_HANDSHAKE"),
      invalidNetworks: this.count("INVALID_NETWORK"),
      repeatedMessages: this.count("REPEATED_MESSAGE"),
      validBlocks: this.count("VALID_BLOCK"),
      validTransactions: this.count("VALID_TRANSACTION"),
      invalidBlocks: this.count("INVALID_BLOCK"),
      invalidTransactions: this.count("INVALID_TRANSACTION"),
      invalidMessages: this.count("INVALID_MESSAGE") + this.count("UNREADABLE_MESSAGE"),
      timeoutMessages: this.count("TIMEOUT_MESSAGE"),
      unexpectedMessages: this.count("UNEXPECTED_MESSAGE"),
      invalidHeader: this.count("INVALID_HEADER"),
      score: this.points,
      punishments: this.punishments,
      goodReputation: this.isGood(now),
      punishedUntil: this.punishedAt + this.punishedFor,
      id,
      type,
    };
  }

  private count(event: ScoringEvent): number {
    return this.counters.get(event) ?? 0;
  }
}
