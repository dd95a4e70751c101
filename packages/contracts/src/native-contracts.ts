import type { NativeContract } from "@cambium/state";
import { blockHeader } from "./block-header/index.js";
import { environment } from "./environment/index.js";
import { hdWalletUtils } from "./hd-wallet-utils/index.js";
import type { FederatorSource } from "./reward/federator-source.js";
import { createRewardContract } from "./reward/index.js";

/** The native contracts other than the bridge (`spec/04 §6.1`). */
export function createNativeContracts(federators: FederatorSource): NativeContract[] {
  return [createRewardContract(federators), hdWalletUtils, blockHeader, environment];
}
