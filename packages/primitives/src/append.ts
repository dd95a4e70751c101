/**
 * Appends items to an array, one by one: `push(...items)` makes each item an argument of a call, and some ten thousand
 * of them overflow the stack.
 */
export function append<T>(target: T[], items: Iterable<T>): void {
  for (const item of items) target.push(item);
}
