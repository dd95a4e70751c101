import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoredChainReader } from "@cambium/chain";
import type { BuildingClient } from "./building-client.js";
import type { BuildingMethods, BuildingOptions } from "./building-messages.js";
import { BuildingService } from "./building-service.js";
import { PoolMirrorSender } from "./pool-mirror.js";

/** Calls of a block builder, in a separate thread or in this one. */
export type BuildingCalls = Pick<BuildingClient, "call" | "close" | "setMinimumGasPrice">;

/** Milliseconds of work between two pauses. */
const TURN = 10;
/** Number of turns of the event loop in a pause: receiving, executing and answering a request takes several. */
const TURNS_OF_OTHERS = 4;

/**
 * Builds in the calling thread, with the chain that it imports into. Executes one call at a time, and pauses for the
 * other work of the thread.
 */
export class BuildingHere implements BuildingCalls {
  private readonly mirror = new PoolMirrorSender();
  private service: BuildingService | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly chain: StoredChainReader,
    private readonly options: BuildingOptions,
  ) {}

  call<Name extends keyof BuildingMethods>(
    name: Name,
    argumentOf: (mirror: PoolMirrorSender) => Parameters<BuildingMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<BuildingMethods[Name]>>> {
    const answer = this.last.then(() => this.run(name, argumentOf));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async run<Name extends keyof BuildingMethods>(
    name: Name,
    argumentOf: (mirror: PoolMirrorSender) => Parameters<BuildingMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<BuildingMethods[Name]>>> {
    const turns = { length: TURN, pause: yieldTurns };
    this.service ??= new BuildingService(this.chain, { options: this.options, turns });
    const method = this.service[name] as (argument: unknown) => ReturnType<BuildingMethods[Name]>;
    try {
      return await method.call(this.service, argumentOf(this.mirror));
    } catch (error) {
      this.mirror.forget();
      throw error;
    }
  }

  setMinimumGasPrice(price: bigint): void {
    this.options.minimumGasPrice = price;
    this.service?.setMinimumGasPrice(price);
  }

  async close(): Promise<void> {
    await this.last;
  }
}

async function yieldTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_OTHERS; turn++) await nextTurn();
}
