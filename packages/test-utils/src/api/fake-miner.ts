import type { LocalMinerApi, LocalMiningMode, MinerServerApi, SubmittedBlock } from "@cambium/miner";

export const HASH = new Uint8Array(32).fill(0x1d);
export const PARENT_HASH = new Uint8Array(32).fill(0x2e);
export const REWARD_ADDRESS = new Uint8Array(20).fill(0x3f);

const SUBMITTED: SubmittedBlock = { result: { kind: "imported-best" }, hash: HASH, number: 436 };

/** A miner whose results are set by the test. */
export function fakeMiner(changes: Partial<MinerServerApi> = {}): MinerServerApi {
  const api: Partial<MinerServerApi> = {
    isRunning: true,
    rewardAddress: REWARD_ADDRESS,
    async start() {},
    async upToDate() {},
    stop() {},
    getWork: () => ({
      hashForMergedMining: HASH,
      target: 2n ** 200n,
      feesPaidToMiner: 12_345_678_901_234_567_890n,
      notify: true,
      parentBlockHash: PARENT_HASH,
    }),
    submitBlock: async () => SUBMITTED,
    submitTransactions: async () => SUBMITTED,
    submitPartialMerkle: async () => SUBMITTED,
    ethWork: () => ({ headerHash: HASH, merkleRoot: PARENT_HASH, target: 2n ** 200n }),
    ethSubmit: async () => true,
    submitHashrate() {},
    hashrate: () => 906n,
    ...changes,
  };
  return api as MinerServerApi;
}

/** A local miner that records calls. */
export class FakeLocalMiner {
  readonly asked: string[] = [];
  private snapshots = 0;
  private readonly next = {
    isLogged: true,
    setTimestamp: (seconds: bigint) => void this.asked.push(`timestamp ${seconds}`),
    setTime: (seconds: bigint) => {
      this.asked.push(`time ${seconds}`);
      return 0;
    },
  };

  constructor(private readonly mode: LocalMiningMode = { kind: "on-demand" }) {}

  api(changes: Partial<LocalMinerApi> = {}): LocalMinerApi {
    const api: Partial<LocalMinerApi> = {
      mode: this.mode,
      isMining: true,
      startMining: () => void this.asked.push("start"),
      stopMining: () => void this.asked.push("stop"),
      idle: async () => void this.asked.push("idle"),
      mine: async () => {
        this.asked.push("mine");
        return SUBMITTED;
      },
      increaseTime: (seconds) => {
        this.asked.push(`increase ${seconds}`);
        return seconds;
      },
      mineBlocks: async ({ count }) => void this.asked.push(`mine ${count}`),
      setAutomatic: (isAutomatic) => void this.asked.push(`automatic ${isAutomatic}`),
      setInterval: (milliseconds) => void this.asked.push(`interval ${milliseconds}`),
      setGasLimit: async (limit) => void this.asked.push(`gas limit ${limit}`),
      setMinimumGasPrice: async (price) => void this.asked.push(`gas price ${price}`),
      editState: async (edits) => void this.asked.push(`edits ${edits.length}`),
      rollback: async (depth) => void this.asked.push(`rollback ${depth}`),
      next: this.next as LocalMinerApi["next"],
      snapshot: () => ++this.snapshots,
      revert: async (id) => id > 0 && id <= this.snapshots,
      reset: async () => void this.asked.push("reset"),
      ...changes,
    };
    return api as LocalMinerApi;
  }
}
