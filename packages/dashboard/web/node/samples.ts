import { Store } from "./store.js";

/** Values that the overview has read since the page was opened; lists of equal length. */
interface Samples {
  /** Seconds. */
  times: readonly number[];
  pending: readonly (number | null)[];
  /** Bytes. */
  memory: readonly (number | null)[];
}

const MAX_SAMPLES = 720;

class SampleStore extends Store<Samples> {
  constructor() {
    super({ times: [], pending: [], memory: [] });
  }

  add(pending: number | null, memory: number | null): void {
    const { state } = this;
    const longer = <T>(list: readonly T[], value: T) => [...list, value].slice(-MAX_SAMPLES);
    this.update({
      times: longer(state.times, Date.now() / 1000),
      pending: longer(state.pending, pending),
      memory: longer(state.memory, memory),
    });
  }
}

export const samples = new SampleStore();
