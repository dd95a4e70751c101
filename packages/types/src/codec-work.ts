import { channel } from "node:diagnostics_channel";

/** Kinds of work on blocks that are worth counting: they grow with the block, and must not be done twice. */
export type CodecWork = "header" | "transactions" | "transactionsRoot" | "sender";

/** Diagnostics channel that gets a {@link CodecWork} for each header, list of transactions or sender in this thread. */
const work = channel("cambium:codec-work");

/** Reports work. Costs nothing while the channel has no subscriber. */
export function reportCodecWork(kind: CodecWork): void {
  if (work.hasSubscribers) work.publish(kind);
}
