import { ponder } from "ponder:registry";
import { addition } from "ponder:schema";

ponder.on("Counter:Added", async ({ event, context }) => {
  await context.db.insert(addition).values({ id: event.id, block: event.block.hash, total: event.args.total });
});
