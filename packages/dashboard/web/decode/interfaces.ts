import { parseAbi } from "viem";

/** Names and types of the bridge's methods that views call (`spec/06a §2`). */
const BRIDGE_VIEWS = [
  "function getBtcBlockchainBestChainHeight() view returns (int256)",
  "function getFederationAddress() view returns (string)",
  "function getFederationSize() view returns (int256)",
  "function getFederationThreshold() view returns (int256)",
  "function getFederationCreationBlockNumber() view returns (int256)",
  "function getFederationCreationTime() view returns (int256)",
  "function getFederatorPublicKeyOfType(int256 index, string kind) view returns (bytes)",
  "function getRetiringFederationAddress() view returns (string)",
  "function getRetiringFederationSize() view returns (int256)",
  "function getProposedFederationAddress() view returns (string)",
  "function getProposedFederationSize() view returns (int256)",
  "function getPendingFederationSize() view returns (int256)",
  "function getFeePerKb() view returns (int256)",
  "function getLockingCap() view returns (int256)",
  "function getMinimumLockTxValue() view returns (int256)",
  "function getQueuedPegoutsCount() view returns (uint256)",
  "function getNextPegoutCreationBlockNumber() view returns (uint256)",
  "function getEstimatedFeesForNextPegOutEvent() view returns (uint256)",
  "function getStateForDebugging() view returns (bytes)",
] as const;

const BRIDGE_TRANSACTIONS = [
  "function addFederatorPublicKeyMultikey(bytes btcKey, bytes rskKey, bytes mstKey)",
  "function addLockWhitelistAddress(string account, int256 maximum)",
  "function addOneOffLockWhitelistAddress(string account, int256 maximum)",
  "function addUnlimitedLockWhitelistAddress(string account)",
  "function addSignature(bytes publicKey, bytes[] signatures, bytes transactionHash)",
  "function commitFederation(bytes hash)",
  "function createFederation()",
  "function increaseLockingCap(int256 cap)",
  "function receiveHeaders(bytes[] headers)",
  "function receiveHeader(bytes header)",
  "function registerBtcTransaction(bytes transaction, int256 height, bytes merkleTree)",
  "function registerBtcCoinbaseTransaction(bytes transaction, bytes32 blockHash, bytes merkleTree, bytes32 witnessRoot, bytes32 witnessReserved)",
  "function registerFastBridgeBtcTransaction(bytes transaction, uint256 height, bytes merkleTree, bytes32 derivationHash, bytes refundAddress, address receiver, bytes providerAddress, bool transferToContract)",
  "function releaseBtc()",
  "function removeLockWhitelistAddress(string account)",
  "function rollbackFederation()",
  "function setLockWhitelistDisableBlockDelay(int256 delay)",
  "function updateCollections()",
  "function voteFeePerKbChange(int256 feePerKb)",
  "function increaseUnionBridgeLockingCap(uint256 cap)",
  "function requestUnionBridgeRbtc(uint256 amount)",
  "function releaseUnionBridgeRbtc()",
  "function setUnionBridgeTransferPermissions(bool request, bool release)",
  "function setSuperEvent(bytes data)",
  "function clearSuperEvent()",
  "function setBaseEvent(bytes data)",
  "function clearBaseEvent()",
] as const;

/** `spec/06b-3 §10`. */
const BRIDGE_EVENTS = [
  "event lock_btc(address indexed receiver, bytes32 btcTxHash, string senderBtcAddress, int256 amount)",
  "event pegin_btc(address indexed receiver, bytes32 indexed btcTxHash, int256 amount, int256 protocolVersion)",
  "event rejected_pegin(bytes32 indexed btcTxHash, int256 reason)",
  "event unrefundable_pegin(bytes32 indexed btcTxHash, int256 reason)",
  "event update_collections(address sender)",
  "event add_signature(bytes32 indexed releaseRskTxHash, address indexed federator, bytes federatorBtcPublicKey)",
  "event release_btc(bytes32 indexed releaseRskTxHash, bytes btcRawTransaction)",
  "event commit_federation_failed(bytes proposedFederationRedeemScript, int256 blockNumber)",
  "event release_requested(bytes32 indexed rskTxHash, bytes32 indexed btcTxHash, uint256 amount)",
  "event release_request_received(address indexed sender, string btcDestinationAddress, uint256 amount)",
  "event release_request_received(address indexed sender, bytes btcDestinationAddress, uint256 amount)",
  "event release_request_rejected(address indexed sender, uint256 amount, int256 reason)",
  "event batch_pegout_created(bytes32 indexed btcTxHash, bytes releaseRskTxHashes)",
  "event pegout_confirmed(bytes32 indexed btcTxHash, uint256 pegoutCreationBlock)",
  "event pegout_transaction_created(bytes32 indexed btcTxHash, bytes utxoOutpointValues)",
  "event union_bridge_locking_cap_increased(address indexed caller, uint256 previous, uint256 cap)",
  "event union_rbtc_requested(address indexed requester, uint256 amount)",
  "event union_rbtc_released(address indexed receiver, uint256 amount)",
  "event union_bridge_transfer_permissions_updated(address indexed caller, bool request, bool release)",
] as const;

const TOKEN = [
  "function transfer(address to, uint256 amount) returns (bool)",
  "function transferFrom(address from, address to, uint256 amount) returns (bool)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function mint(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "function safeTransferFrom(address from, address to, uint256 id)",
  "function safeTransferFrom(address from, address to, uint256 id, bytes data)",
  "function setApprovalForAll(address operator, bool approved)",
  "function transferOwnership(address owner)",
  "function deposit() payable",
  "function withdraw(uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed id)",
  "event Approval(address indexed owner, address indexed spender, uint256 amount)",
  "event Approval(address indexed owner, address indexed spender, uint256 indexed id)",
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
  "event OwnershipTransferred(address indexed previous, address indexed owner)",
  "event Deposit(address indexed account, uint256 amount)",
  "event Withdrawal(address indexed account, uint256 amount)",
] as const;

/** The other contracts that are part of the node: block headers, HD wallets, environment (`spec/04 §6`). */
const OTHER_NATIVE = [
  "function getCoinbaseAddress(int256 depth) view returns (bytes)",
  "function getBlockHash(int256 depth) view returns (bytes)",
  "function getMergedMiningTags(int256 depth) view returns (bytes)",
  "function getMinGasPrice(int256 depth) view returns (bytes)",
  "function getGasLimit(int256 depth) view returns (bytes)",
  "function getGasUsed(int256 depth) view returns (bytes)",
  "function getDifficulty(int256 depth) view returns (bytes)",
  "function getBitcoinHeader(int256 depth) view returns (bytes)",
  "function getUncleCoinbaseAddress(int256 depth, int256 index) view returns (bytes)",
  "function getDifficultyWithUncles(int256 depth) view returns (bytes)",
  "function getCumulativeWork(int256 depth) view returns (bytes)",
  "function toBase58Check(bytes hash, int256 version) view returns (string)",
  "function deriveExtendedPublicKey(string key, string path) view returns (string)",
  "function extractPublicKeyFromExtendedPublicKey(string key) view returns (bytes)",
  "function getMultisigScriptHash(int256 minimum, bytes[] keys) view returns (bytes)",
  "function getCallStackDepth() view returns (uint32)",
] as const;

export const OTHER_NATIVE_ABI = parseAbi(OTHER_NATIVE);
export const BRIDGE_ABI = parseAbi([...BRIDGE_VIEWS, ...BRIDGE_TRANSACTIONS, ...BRIDGE_EVENTS]);
export const TOKEN_ABI = parseAbi(TOKEN);
/** Functions by which a token describes itself. */
export const TOKEN_VIEWS = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
]);
