import type { ScoreCard } from "./score-card.js";

/**
 * Cards by peer id or address, least recently used first. A full table evicts the first card that is not under
 * punishment; if there is none, a new subject gets a card that is not stored (`spec/07 §D.9`).
 */
export class ScoreTable {
  private readonly cards = new Map<string, ScoreCard>();

  constructor(
    readonly capacity: number,
    private readonly newCard: (key: string) => ScoreCard,
    private readonly now: () => number,
  ) {}

  /** Returns a card, which counts as use. */
  get(key: string): ScoreCard | undefined {
    const card = this.cards.get(key);
    if (card !== undefined) this.put(key, card);
    return card;
  }

  getOrCreate(key: string): ScoreCard {
    const known = this.get(key);
    if (known !== undefined) return known;
    const card = this.newCard(key);
    if (this.cards.size < this.capacity || this.makeRoom()) this.cards.set(key, card);
    return card;
  }

  put(key: string, card: ScoreCard): void {
    this.cards.delete(key);
    this.cards.set(key, card);
  }

  delete(key: string): boolean {
    return this.cards.delete(key);
  }

  entries(): [key: string, card: ScoreCard][] {
    return [...this.cards];
  }

  private makeRoom(): boolean {
    for (const [key, card] of this.cards) {
      if (!card.isGood(this.now())) continue;
      this.cards.delete(key);
      return true;
    }
    return false;
  }
}
