import type { AnswerItem } from "../wire/protocol.js";

/** A frame with the item, or one that says there is none. */
export function answer<Item>(item: Item | undefined): AnswerItem<Item> {
  return item === undefined ? { kind: "not-available" } : { kind: "data", item };
}
