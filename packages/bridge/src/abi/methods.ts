import type { RuleName, Rules } from "@cambium/config";
import { type AbiFunction, abiFunction } from "@cambium/primitives";

/** One method of the bridge's ABI: `spec/06a §2`. */
export interface BridgeMethod {
  readonly definition: AbiFunction;
  /** Signature as in the table, such as `receiveHeader(bytes)`. */
  readonly signature: string;
  /** Gas without the data part, or the rule that determines it (`spec/06a §3`). */
  readonly gas: number | "headers" | "confirmations";
  /** Kind of the method from RSKIP-417 on: `state` accepts only CALL; `view` also accepts STATICCALL. */
  readonly kind: "state" | "view";
  readonly from?: RuleName;
  readonly until?: RuleName;
  /** Whether only local calls may use the method (from RSKIP-88). */
  readonly local?: "always" | "untilRskip220";
}

type Limits = Pick<BridgeMethod, "from" | "until" | "local">;

function method(
  kind: BridgeMethod["kind"],
  signature: string,
  output: string,
  gas: BridgeMethod["gas"],
  limits: Limits,
): BridgeMethod {
  const open = signature.indexOf("(");
  const inputs = signature.slice(open + 1, -1);
  const outputs = output === "" ? [] : [output];
  const definition = abiFunction(signature.slice(0, open), inputs === "" ? [] : inputs.split(","), outputs);
  return { definition, signature, gas, kind, ...limits };
}

function view(signature: string, output: string, gas: BridgeMethod["gas"], limits: Limits = {}): BridgeMethod {
  return method("view", signature, output, gas, limits);
}

function state(signature: string, output: string, gas: BridgeMethod["gas"], limits: Limits = {}): BridgeMethod {
  return method("state", signature, output, gas, limits);
}

/** All current and former methods. */
export const BRIDGE_METHODS: readonly BridgeMethod[] = [
  state("addFederatorPublicKey(bytes)", "int256", 13_000, { until: "rskip123" }),
  state("addFederatorPublicKeyMultikey(bytes,bytes,bytes)", "int256", 13_000, { from: "rskip123" }),
  state("addLockWhitelistAddress(string,int256)", "int256", 25_000, { until: "rskip87" }),
  state("addOneOffLockWhitelistAddress(string,int256)", "int256", 25_000, { from: "rskip87" }),
  state("addUnlimitedLockWhitelistAddress(string)", "int256", 25_000, { from: "rskip87" }),
  state("addSignature(bytes,bytes[],bytes)", "", 70_000),
  state("commitFederation(bytes)", "int256", 38_000),
  state("createFederation()", "int256", 11_000),
  view("getBtcBlockchainBestChainHeight()", "int256", 19_000, { local: "untilRskip220" }),
  view("getBtcBlockchainInitialBlockHeight()", "int256", 20_000, { from: "rskip89", local: "always" }),
  view("getBtcBlockchainBlockLocator()", "string[]", 76_000, { until: "rskip89", local: "always" }),
  view("getBtcBlockchainBlockHashAtDepth(int256)", "bytes", 20_000, { from: "rskip89", local: "always" }),
  view("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])", "int256", "confirmations", {
    from: "rskip122",
  }),
  view("getBtcTxHashProcessedHeight(string)", "int64", 22_000, { local: "always" }),
  view("getFederationAddress()", "string", 11_000, { local: "always" }),
  view("getFederationCreationBlockNumber()", "int256", 10_000, { local: "always" }),
  view("getFederationCreationTime()", "int256", 10_000, { local: "always" }),
  view("getFederationSize()", "int256", 10_000, { local: "always" }),
  view("getFederationThreshold()", "int256", 11_000, { local: "always" }),
  view("getFederatorPublicKey(int256)", "bytes", 10_000, { until: "rskip123", local: "always" }),
  view("getFederatorPublicKeyOfType(int256,string)", "bytes", 10_000, { from: "rskip123", local: "always" }),
  view("getFeePerKb()", "int256", 2000, { local: "always" }),
  view("getLockWhitelistAddress(int256)", "string", 16_000, { local: "always" }),
  view("getLockWhitelistEntryByAddress(string)", "int256", 16_000, { from: "rskip87", local: "always" }),
  view("getLockWhitelistSize()", "int256", 16_000, { local: "always" }),
  view("getMinimumLockTxValue()", "int256", 2000, { local: "always" }),
  view("getPendingFederationHash()", "bytes", 3000, { local: "always" }),
  view("getPendingFederationSize()", "int256", 3000, { local: "always" }),
  view("getPendingFederatorPublicKey(int256)", "bytes", 3000, { until: "rskip123", local: "always" }),
  view("getPendingFederatorPublicKeyOfType(int256,string)", "bytes", 3000, { from: "rskip123", local: "always" }),
  view("getRetiringFederationAddress()", "string", 3000, { local: "always" }),
  view("getRetiringFederationCreationBlockNumber()", "int256", 3000, { local: "always" }),
  view("getRetiringFederationCreationTime()", "int256", 3000, { local: "always" }),
  view("getRetiringFederationSize()", "int256", 3000, { local: "always" }),
  view("getRetiringFederationThreshold()", "int256", 3000, { local: "always" }),
  view("getRetiringFederatorPublicKey(int256)", "bytes", 3000, { until: "rskip123", local: "always" }),
  view("getRetiringFederatorPublicKeyOfType(int256,string)", "bytes", 3000, { from: "rskip123", local: "always" }),
  view("getProposedFederationAddress()", "string", 3000, { from: "rskip419", local: "always" }),
  view("getProposedFederationSize()", "int256", 3000, { from: "rskip419", local: "always" }),
  view("getProposedFederationCreationTime()", "int256", 3000, { from: "rskip419", local: "always" }),
  view("getProposedFederationCreationBlockNumber()", "int256", 3000, { from: "rskip419", local: "always" }),
  view("getProposedFederatorPublicKeyOfType(int256,string)", "bytes", 3000, { from: "rskip419", local: "always" }),
  view("getStateForBtcReleaseClient()", "bytes", 4000, { local: "always" }),
  view("getStateForSvpClient()", "bytes", 4000, { from: "rskip419", local: "always" }),
  view("getStateForDebugging()", "bytes", 3_000_000, { local: "always" }),
  view("getLockingCap()", "int256", 3000, { from: "rskip134", local: "always" }),
  view("getActivePowpegRedeemScript()", "bytes", 30_000, { from: "rskip293" }),
  view("getActiveFederationCreationBlockHeight()", "uint256", 3000, { from: "rskip186" }),
  state("increaseLockingCap(int256)", "bool", 8000, { from: "rskip134" }),
  view("isBtcTxHashAlreadyProcessed(string)", "bool", 23_000, { local: "always" }),
  state("receiveHeaders(bytes[])", "", "headers"),
  state("receiveHeader(bytes)", "int256", 10_600, { from: "rskip200" }),
  state("registerBtcTransaction(bytes,int256,bytes)", "", 22_000),
  state("releaseBtc()", "", 23_000),
  state("removeLockWhitelistAddress(string)", "int256", 24_000),
  state("rollbackFederation()", "int256", 12_000),
  state("setLockWhitelistDisableBlockDelay(int256)", "int256", 24_000),
  state("updateCollections()", "", 48_000),
  state("voteFeePerKbChange(int256)", "int256", 10_000),
  state("registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)", "", 10_000, { from: "rskip143" }),
  view("hasBtcBlockCoinbaseTransactionInformation(bytes32)", "bool", 5000, { from: "rskip143" }),
  state("registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)", "int256", 25_000, {
    from: "rskip176",
  }),
  view("getBtcBlockchainBestBlockHeader()", "bytes", 3800, { from: "rskip220" }),
  view("getBtcBlockchainBlockHeaderByHash(bytes32)", "bytes", 4600, { from: "rskip220" }),
  view("getBtcBlockchainBlockHeaderByHeight(uint256)", "bytes", 5000, { from: "rskip220" }),
  view("getBtcBlockchainParentBlockHeaderByHash(bytes32)", "bytes", 4900, { from: "rskip220" }),
  view("getNextPegoutCreationBlockNumber()", "uint256", 3000, { from: "rskip271" }),
  view("getQueuedPegoutsCount()", "uint256", 3000, { from: "rskip271" }),
  view("getEstimatedFeesForNextPegOutEvent()", "uint256", 10_000, { from: "rskip271" }),
  view("getEstimatedFeesForPegOutAmount(uint256)", "uint256", 10_000, { from: "rskip540" }),
  state("setUnionBridgeContractAddressForTestnet(address)", "int256", 8000, { from: "rskip502" }),
  view("getUnionBridgeContractAddress()", "address", 3000, { from: "rskip502" }),
  view("getUnionBridgeLockingCap()", "uint256", 3000, { from: "rskip502" }),
  state("increaseUnionBridgeLockingCap(uint256)", "int256", 8000, { from: "rskip502" }),
  state("requestUnionBridgeRbtc(uint256)", "int256", 8000, { from: "rskip502" }),
  state("releaseUnionBridgeRbtc()", "int256", 8000, { from: "rskip502" }),
  state("setUnionBridgeTransferPermissions(bool,bool)", "int256", 8000, { from: "rskip502" }),
  view("getSuperEvent()", "bytes", 3000, { from: "rskip529" }),
  state("setSuperEvent(bytes)", "", 8000, { from: "rskip529" }),
  state("clearSuperEvent()", "", 8000, { from: "rskip529" }),
  view("getBaseEvent()", "bytes", 3000, { from: "rskip529" }),
  state("setBaseEvent(bytes)", "", 8000, { from: "rskip529" }),
  state("clearBaseEvent()", "", 8000, { from: "rskip529" }),
];

const bySelector: ReadonlyMap<string, BridgeMethod> = new Map(
  BRIDGE_METHODS.map((entry) => [entry.definition.selector, entry]),
);

/** The method of an 8-digit hex selector, enabled or not. */
export function findMethod(selector: string): BridgeMethod | undefined {
  return bySelector.get(selector);
}

/** The method that empty call data selects. */
export const RELEASE_BTC: BridgeMethod = BRIDGE_METHODS.find((entry) => entry.signature === "releaseBtc()")!;

export function isEnabled(entry: BridgeMethod, rules: Rules): boolean {
  return (entry.from === undefined || rules[entry.from]) && (entry.until === undefined || !rules[entry.until]);
}

export function isLocalOnly(entry: BridgeMethod, rules: Rules): boolean {
  return entry.local === "always" || (entry.local === "untilRskip220" && !rules.rskip220);
}
