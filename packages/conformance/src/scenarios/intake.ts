import type { Chain, ImportResult, RelayProfile } from "@cambium/chain";
import { BlockIntake, OrphanStore, type SyncChain } from "@cambium/sync";
import type { PoolReader } from "@cambium/txpool";
import { decodeBlockHeader } from "@cambium/types";
import { SILENT } from "../silent-logger.js";

/** An imported block and the result. */
export interface IntakeImport {
  hash: Uint8Array;
  result: ImportResult;
}

const PEER = "scenario";
/** Handcrafted blocks of scenarios have no proof of work. */
const NO_RULES: RelayProfile = { headerRules: [], childRules: [] };

/** The intake of single blocks from peers, in which orphan blocks wait for their parents (`spec/02 §5.1`). */
export class ScenarioIntake {
  private readonly intake: BlockIntake;
  private imports: IntakeImport[] = [];

  constructor(chain: Chain, pool: Pick<PoolReader, "knownSender">) {
    const recorded = recordImports(chain, (entry) => this.imports.push(entry));
    const engine = { isFarBehind: () => false, blockWanted() {} };
    const intakeParts = {
      chain: recorded,
      network: { peer: () => undefined, report() {} },
      engine,
      pool,
      now: () => 0,
      logger: SILENT,
    };
    this.intake = new BlockIntake(intakeParts, new OrphanStore(), NO_RULES);
    chain.on(({ hash }) => this.intake.onStored(hash));
  }

  /** Resolves to all imports that a block causes: its own and those of orphans that waited for it. */
  async take(encoded: Uint8Array): Promise<IntakeImport[]> {
    this.imports = [];
    await this.intake.take(encoded, PEER);
    await this.intake.settled();
    return this.imports;
  }
}

function recordImports(chain: SyncChain, record: (entry: IntakeImport) => void): SyncChain {
  const importBlock: SyncChain["import"] = async (input) => {
    const result = await chain.import(input);
    record({ hash: decodeBlockHeader(input.bytes, chain.network).hash, result });
    return result;
  };
  return new Proxy(chain, {
    get(target, key) {
      if (key === "import") return importBlock;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
