import { SyncError } from "../errors.js";
import { BlockImporter, type BlockImporterParts } from "./block-importer.js";
import { BodyDownload, type BodyDownloadParts } from "./body-download.js";
import type { VerifiedHeaders } from "./header-download.js";

/** Number of headers that may wait for their bodies before the header download pauses. */
const WAITING_HEADERS = 2048;
/** Milliseconds without a verified header or an imported block after which an attempt fails. */
const STANDSTILL = 45_000;

export interface BlockFlowParts extends Omit<BodyDownloadParts, "coordinator">, Omit<BlockImporterParts, "clock"> {
  onVerified: (headers: VerifiedHeaders) => void;
}

/**
 * Downloads bodies and imports blocks while headers are still arriving. Resolves when all are imported. When one part
 * fails, the others are ended, and it rejects with that failure.
 */
export async function importVerified(
  supply: (signal: AbortSignal) => AsyncIterable<VerifiedHeaders>,
  modules: BlockFlowParts,
  signal: AbortSignal,
): Promise<void> {
  const scope = new AbortController();
  const stop = () => scope.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  const watch = new StandstillWatch(modules, scope);
  const bodies = new BodyDownload(modules);
  const importer = new BlockImporter({ ...modules, onImported: watch.seen(modules.onImported) });
  watch.start(() => importer.isImporting);
  const onVerified = watch.seen(modules.onVerified);
  const parts = [
    fill(supply, bodies, { ...modules, onVerified }, scope.signal),
    bodies.run(scope.signal),
    importer.importAll(bodies, scope.signal),
  ];
  for (const part of parts) part.catch((error: unknown) => scope.abort(error));
  await Promise.allSettled(parts);
  watch.stop();
  signal.removeEventListener("abort", stop);
  // The first failure caused the other ones.
  scope.signal.throwIfAborted();
}

async function fill(
  supply: (signal: AbortSignal) => AsyncIterable<VerifiedHeaders>,
  bodies: BodyDownload,
  { changed, onVerified }: Pick<BlockFlowParts, "changed" | "onVerified">,
  signal: AbortSignal,
): Promise<void> {
  for await (const part of supply(signal)) {
    bodies.add(part);
    onVerified(part);
    while (bodies.size > WAITING_HEADERS) {
      await changed.wait(1000, signal);
      signal.throwIfAborted();
    }
  }
  bodies.complete();
}

/** Aborts when there is no progress for too long. A running import counts as progress, regardless of its duration. */
class StandstillWatch {
  private seenAt: number;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly modules: Pick<BlockFlowParts, "clock">,
    private readonly scope: AbortController,
  ) {
    this.seenAt = modules.clock.now();
  }

  start(isImporting: () => boolean): void {
    const { clock } = this.modules;
    this.cancel = clock.after(STANDSTILL / 9, () => {
      if (isImporting()) this.seenAt = clock.now();
      if (clock.now() - this.seenAt < STANDSTILL) return this.start(isImporting);
      this.scope.abort(new SyncError({ code: "NO_PROGRESS", seconds: STANDSTILL / 1000 }));
    });
  }

  stop(): void {
    this.cancel();
  }

  /** Returns the listener in a form that counts each call as progress. */
  seen<T>(listener: (value: T) => void): (value: T) => void {
    return (value) => {
      this.seenAt = this.modules.clock.now();
      listener(value);
    };
  }
}
