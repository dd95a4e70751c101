import { call } from "../node/client.js";
import { live } from "../node/live.js";
import { Store, useStore } from "../node/store.js";
import type { Quantity } from "../node/types.js";

/** A state of the chain to return to. */
export interface Point {
  /** Result of `evm_snapshot`. */
  id: string;
  /** The change that followed, or that the user took a snapshot. */
  name: string;
  height: number;
  isOwn: boolean;
}

interface ActionState {
  /** The oldest first. */
  points: readonly Point[];
  isBusy: boolean;
  problem: string;
}

const MAX_POINTS = 50;

/** Changes of the chain; each can be undone until an earlier one is. */
class Actions extends Store<ActionState> {
  constructor() {
    super({ points: [], isBusy: false, problem: "" });
  }

  /** Takes a snapshot, then changes the chain. */
  act = (name: string, change: () => Promise<unknown>): Promise<void> =>
    this.run(async () => {
      await this.snapshot(name, false);
      await change();
    });

  keep = (): Promise<void> => this.run(() => this.snapshot("snapshot", true));

  /** Returns to a snapshot, which uses up this one and all later ones. */
  revert = ({ id }: Point): Promise<void> =>
    this.run(async () => {
      const { points } = this.state;
      const index = points.findIndex((point) => point.id === id);
      const isDone = await call<boolean>("evm_revert", id);
      // Snapshots that the node does not know belong to another chain, or another tool has used them.
      this.update({ points: points.slice(0, index) });
      if (!isDone) throw new Error("The node has no such snapshot: the chain was reset, or reverted further");
    });

  private async snapshot(name: string, isOwn: boolean): Promise<void> {
    const [id, height] = await Promise.all([call<string>("evm_snapshot"), call<Quantity>("eth_blockNumber")]);
    this.update({ points: [...this.state.points, { id, name, height: Number(height), isOwn }].slice(-MAX_POINTS) });
  }

  private async run(what: () => Promise<void>): Promise<void> {
    this.update({ isBusy: true, problem: "" });
    try {
      await what();
    } catch (error) {
      this.update({ problem: (error as Error).message });
    } finally {
      this.update({ isBusy: false });
      void live.refresh();
    }
  }
}

const actions = new Actions();

export function useActions() {
  const state = useStore(actions);
  const { act, keep, revert } = actions;
  return { ...state, act, keep, revert };
}
