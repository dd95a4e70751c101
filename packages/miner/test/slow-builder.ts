import type { BlockBuilder, BlockTemplate } from "../src/index.js";
import type { BuildRequest, TemplateBuilder } from "../src/interface.js";

interface Build {
  request: BuildRequest;
  signal: AbortSignal | undefined;
  finish(): void;
  fail(error: Error): void;
}

/** A builder whose builds the test completes, like one in another thread. */
export class SlowBuilder implements TemplateBuilder {
  /** Builds in progress, in order. */
  readonly builds: Build[] = [];
  /** All requested builds. */
  count = 0;

  constructor(private readonly builder: BlockBuilder) {}

  get rewardAddress(): Uint8Array {
    return this.builder.rewardAddress;
  }

  build(request: BuildRequest, signal?: AbortSignal): Promise<BlockTemplate> {
    this.count++;
    return new Promise((resolve, reject) => {
      const end = (action: () => void) => () => {
        this.builds.splice(this.builds.indexOf(build), 1);
        action();
      };
      const build: Build = {
        request,
        signal,
        finish: end(() => resolve(this.builder.build(request))),
        fail: (error) => end(() => reject(error))(),
      };
      this.builds.push(build);
    });
  }
}
