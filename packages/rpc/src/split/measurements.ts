import { counter, forEach } from "@cambium/primitives";

export const SEARCHES = forEach(["pieces", "whole"], (answered) =>
  counter(
    "cambium_split_searches_total",
    "Wide searches for logs or traces, by whether the pieces were enough for the answer",
    { answered },
  ),
);
export const PIECES = forEach(["here", "elsewhere", "failed"], (place) =>
  counter("cambium_split_pieces_total", "Pieces of wide searches, by where they were searched", { place }),
);
export const SERVED = forEach(["answered", "cancelled", "refused"], (result) =>
  counter("cambium_split_pieces_served_total", "Pieces of wide searches of other nodes, by result", { result }),
);
