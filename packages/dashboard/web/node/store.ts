import { useEffect, useState } from "preact/hooks";

/** A value that components follow. */
export class Store<T extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(public state: T) {}

  update(changes: Partial<T>): void {
    this.state = { ...this.state, ...changes };
    for (const listener of this.listeners) listener();
  }

  on(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The state of a store; the component is rendered again when it changes. */
export function useStore<T extends object>(store: Store<T>): T {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    // The state may have changed before the component listened.
    setState(store.state);
    return store.on(() => setState(store.state));
  }, [store]);
  return state;
}
