import { useEffect, useRef, useState } from "preact/hooks";
import { live } from "./live.js";
import { useStore } from "./store.js";

export interface Query<T> {
  data: T | undefined;
  error: Error | undefined;
  /** Whether neither is known yet. */
  isLoading: boolean;
}

export interface QueryOptions {
  /** Milliseconds between two questions. */
  every?: number;
  /** Whether to load again for each new best block. */
  perBlock?: boolean;
}

/**
 * Loads the data that `key` names, and again according to the options. Until then, earlier data of the same key are
 * shown.
 */
export function useQuery<T>(key: string, load: () => Promise<T>, { every, perBlock }: QueryOptions = {}): Query<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key });
  const { blocks } = useStore(live);
  const best = perBlock ? blocks[0]?.hash : undefined;
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let isCurrent = true;
    const read = () =>
      latest.current().then(
        (data) => isCurrent && setState({ key, data }),
        (error: Error) => isCurrent && setState((old) => ({ key, error, ...(old.key === key && { data: old.data }) })),
      );
    void read();
    const timer = every === undefined ? undefined : setInterval(() => document.hidden || void read(), every);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [key, every, best]);
  const { data, error } = state.key === key ? state : {};
  return { data, error, isLoading: data === undefined && error === undefined };
}
