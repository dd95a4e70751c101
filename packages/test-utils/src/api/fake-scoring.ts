import type { ReputationSummary, ScoringAdmin, ScoringReport } from "@cambium/networking";
import { CambiumError } from "@cambium/primitives";

class FakeNetworkingError extends CambiumError<{ code: "INVALID_ADDRESS"; text: string }> {}

const COUNTERS = {
  successfulHandshakes: 2,
  failedHandshakes: 0,
  invalidNetworks: 0,
  repeatedMessages: 1,
  validBlocks: 12,
  validTransactions: 5,
  invalidBlocks: 1,
  invalidTransactions: 0,
  invalidMessages: 0,
  timeoutMessages: 0,
  unexpectedMessages: 0,
  invalidHeader: 0,
  punishments: 1,
};

/** Scoring with one punished node at one address; a text without digits is not an address. */
export class FakeScoring implements ScoringAdmin {
  private banned: string[] = [];
  private scores: ScoringReport[] = (["node", "address"] as const).map((type) => ({
    ...COUNTERS,
    score: -1,
    goodReputation: false,
    punishedUntil: 1_795_250_633_253,
    id: type === "node" ? "b8f94fad" : "198.51.100.7",
    type,
  }));

  banAddress(text: string): void {
    if (!/\d/.test(text)) throw new FakeNetworkingError({ code: "INVALID_ADDRESS", text });
    this.banned.push(text);
  }

  unbanAddress(text: string): void {
    this.banAddress(text);
    this.banned = this.banned.filter((banned) => banned !== text);
  }

  bannedAddresses(): readonly string[] {
    return [...this.banned];
  }

  peerList(): readonly ScoringReport[] {
    return this.scores;
  }

  idOf(): string {
    return "b8f94fad";
  }

  reputationSummary(): ReputationSummary {
    const count = this.scores.length;
    const sums = Object.fromEntries(Object.entries(COUNTERS).map(([name, value]) => [name, value * count]));
    return {
      count,
      ...(sums as typeof COUNTERS),
      peersTotalScore: -count,
      goodReputationCount: 0,
      badReputationCount: count,
    };
  }

  clearPeerScoring(id: string): void {
    this.scores = this.scores.filter((score) => score.id !== id);
  }
}
