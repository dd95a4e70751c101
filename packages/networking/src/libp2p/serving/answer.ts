import type { AnswerItem } from "../wire/protocol.js";

/** A frame with the item, or "not available" if it is undefined. */
export function answer<Item>(item: Item | undefined): AnswerItem<Item> {
  return item === undefined ? { kind: "not-available" } : { kind: "data", item };
}
