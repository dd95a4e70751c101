import { setTimeout as delay } from "node:timers/promises";
import type { WorkEventSource } from "@cambium/api";
import type { Work } from "@cambium/miner";
import { fromHex } from "@cambium/primitives";
import type { WriterRequest } from "./writer-forwarding.js";

/** Milliseconds until the next request to a writer without work, or without an answer. */
const RETRY_WAIT = 1_000;

/** Result of `mnr_getWork`. */
interface WorkResult {
  blockHashForMergedMining: string;
  target: string;
  feesPaidToMiner: string;
  notify: boolean;
  parentBlockHash: string;
}

/** New work of the writer, requested while there are listeners. */
export class ForwardedWork implements WorkEventSource {
  private readonly listeners = new Set<(work: Work) => void>();
  private stopped = new AbortController();

  constructor(private readonly request: WriterRequest) {}

  onWork(listener: (work: Work) => void): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      this.stopped = new AbortController();
      void this.ask(this.stopped.signal);
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stopped.abort();
    };
  }

  /** Requests work repeatedly. Never rejects. */
  private async ask(signal: AbortSignal): Promise<void> {
    let known: string | undefined;
    while (!signal.aborted) {
      const work = await this.work(known).catch(() => undefined);
      if (work === undefined) await delay(RETRY_WAIT, undefined, { signal }).catch(() => undefined);
      else if (work.blockHashForMergedMining !== known) {
        // The first work that the writer returns is not new.
        if (known !== undefined && !signal.aborted) for (const listener of this.listeners) listener(parsed(work));
        known = work.blockHashForMergedMining;
      }
    }
  }

  /** Resolves to work other than the known one, or to the same after some time; undefined if there is none. */
  private async work(known: string | undefined): Promise<WorkResult | undefined> {
    const params = known === undefined ? [] : [known];
    const answer = await this.request(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "mnr_getWork", params }));
    return (JSON.parse(answer) as { result?: WorkResult }).result;
  }
}

function parsed({ blockHashForMergedMining, target, feesPaidToMiner, notify, parentBlockHash }: WorkResult): Work {
  return {
    hashForMergedMining: fromHex(blockHashForMergedMining.slice(2)),
    target: BigInt(target),
    feesPaidToMiner: BigInt(feesPaidToMiner),
    notify,
    parentBlockHash: fromHex(parentBlockHash.slice(2)),
  };
}
