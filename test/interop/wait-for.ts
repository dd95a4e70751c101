import { sleep } from "@cambium/test-utils/rpc-client";

/** Milliseconds between two observations. */
const INTERVAL = 100;

/** Resolves with the first accepted observation. Rejects after a time, with `what` and the last observation. */
export async function waitFor<T>(
  what: string,
  observe: () => Promise<T>,
  accepts: (observed: T) => boolean,
  seconds = 60,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const observed = await observe();
    if (accepts(observed)) return observed;
    if (performance.now() > end) {
      throw new Error(`Within ${seconds} s: ${what}. Seen last: ${JSON.stringify(observed)}`);
    }
    await sleep(INTERVAL);
  }
}
