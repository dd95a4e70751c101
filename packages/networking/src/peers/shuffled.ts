/** Returns the items in a random order, which an attacker cannot influence. */
export function shuffled<T>(items: readonly T[]): T[] {
  const order = items.slice();
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
