import type { StoredChainReader } from "@cambium/chain";
import type { BuildingClient } from "./building-client.js";
import type { BuildingMethods, BuildingOptions } from "./building-messages.js";
import { BuildingService } from "./building-service.js";
import { PoolMirrorSender } from "./pool-mirror.js";

/** What builds blocks, in a thread of its own or in this one. */
export type BuildingCalls = Pick<BuildingClient, "call" | "close" | "setMinimumGasPrice">;

/** Builds in the calling thread, with the chain that it imports into. */
export class BuildingHere implements BuildingCalls {
  private readonly mirror = new PoolMirrorSender();
  private service: BuildingService | undefined;

  constructor(
    private readonly chain: StoredChainReader,
    private readonly options: BuildingOptions,
  ) {}

  async call<Name extends keyof BuildingMethods>(
    name: Name,
    argumentOf: (mirror: PoolMirrorSender) => Parameters<BuildingMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<BuildingMethods[Name]>>> {
    this.service ??= new BuildingService(this.chain, { options: this.options, abandoned: new Int32Array(1) });
    const method = this.service[name] as (argument: unknown) => Awaited<ReturnType<BuildingMethods[Name]>>;
    try {
      return method.call(this.service, argumentOf(this.mirror));
    } catch (error) {
      this.mirror.forget();
      throw error;
    }
  }

  setMinimumGasPrice(price: bigint): void {
    this.options.minimumGasPrice = price;
    this.service?.setMinimumGasPrice(price);
  }

  async close(): Promise<void> {}
}
