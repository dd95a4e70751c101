import { BRIDGE_ADDRESS } from "@cambium/config";
import { fromHex, toData, toHex } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, type KeyedStateView, type TrieState } from "@cambium/state";
import { ancestorReader } from "../ancestors.js";
import { executeTransactions } from "../block-execution.js";
import { failed } from "../comparison.js";
import { describeError } from "../errors.js";
import type { CaseResult } from "../interface.js";
import { machineOf, type NetworkMachine } from "../networks.js";
import { buildPreState, StateMemory } from "../pre-state.js";
import { differentField, type StoryOutcome, storyDifference } from "./comparison.js";
import type { Story, StoryBlock } from "./format.js";

/** One case per block. After the first difference the state no longer matches the story, so the rest is not run. */
export function* runStory(story: Story): Iterable<CaseResult> {
  const { name, blocks } = story;
  const run = new StoryRun(story);
  const wrongStart = attempt(() => differentField("preRoot", toData(run.start()), story.preRoot));
  if (wrongStart !== undefined) {
    yield failed(`${name}/pre`, wrongStart);
    return;
  }
  for (const [index, block] of blocks.entries()) {
    const place = `${name}/block ${index} (number ${block.number})`;
    const difference = attempt(() => storyDifference(block, run.execute(block)));
    if (difference !== undefined) {
      const rest = blocks.length - index - 1;
      yield failed(place, rest === 0 ? difference : `${difference}; blocks after it are not run (${rest})`);
      return;
    }
    yield { name: place, outcome: "passed" };
  }
}

/** Runs a check; an error counts as a difference. */
export function attempt(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return describeError(error);
  }
}

/** The input of a block's execution. */
export type StoryBlockInput = Omit<StoryBlock, "results" | "receiptsRoot" | "postRoot">;

/** The state of a story, block by block. */
export class StoryRun {
  private readonly memory = new StateMemory();
  private readonly machine: NetworkMachine;
  private readonly aliases: ReadonlyMap<string, Uint8Array>;
  private current: KeyedStateView<TrieState> | undefined;

  constructor(private readonly story: Pick<Story, "network" | "aliases" | "pre">) {
    this.machine = machineOf(story.network);
    this.aliases = new Map(Object.entries(story.aliases).map(([hex, account]) => [toHex(fromHex(hex)), account]));
  }

  /** State after the last block. */
  get view(): KeyedStateView<TrieState> {
    return this.current!;
  }

  /** Creates the story's accounts; returns the state root. */
  start(): Uint8Array {
    this.current = buildPreState(this.story.pre, this.memory);
    return this.view.root;
  }

  /** Executes the next block on the state of the one before. */
  execute(input: StoryBlockInput): StoryOutcome {
    const { machine, aliases } = this;
    const state = new JournaledState(this.view);
    for (const [cell, value] of input.patches) state.setStorageBytes(BRIDGE_ADDRESS, cell, value ?? undefined);
    const block = this.executingBlock(input);
    const executed = executeTransactions({ ...machine, block, state, transactions: input.txs, aliases });
    this.current = this.memory.commit(state);
    return { ...executed, postRoot: this.view.root };
  }

  private executingBlock({ number, timestamp, gasLimit, coinbase }: StoryBlockInput): ExecutingBlock {
    const ancestors = ancestorReader([], this.machine.network);
    return {
      number,
      timestamp,
      parentHash: ancestors.hash(number - 1)!,
      coinbase,
      difficulty: 1n,
      gasLimit,
      minimumGasPrice: 0n,
      ancestors,
    };
  }
}
