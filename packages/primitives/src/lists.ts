/** Appends to a list. `push(...items)` would pass each item as an argument, of which a hundred thousand overflow the stack. */
export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
