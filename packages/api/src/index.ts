export { Api, type ApiParts } from "./api.js";
export { CALL_OBJECT } from "./calls/call-object.js";
export type { SimulatedCandidate, SimulationRequest } from "./calls/simulation.js";
export { servesTools } from "./compatibility.js";
export {
  defineMethod,
  type FailedRequest,
  type ForkTarget,
  type MethodCost,
  type MethodDefinition,
  type OptionalParts,
  optional,
  type Reads,
  required,
} from "./definition/method.js";
export {
  echo,
  internalError,
  invalidRequest,
  RPC_CODES,
  RpcError,
  type RpcErrorObject,
  serverBusy,
  serverError,
  sizeLimitExceeded,
  timeLimitExceeded,
} from "./errors.js";
export { FilterRegistry } from "./filters/filter-registry.js";
export { type Client, type Presence, presenceBy } from "./limits/client.js";
export { ClientBudget } from "./limits/client-budget.js";
export { Deadline } from "./limits/deadline.js";
export { isBusy, nextTurn, noteLightRequest, TurnTaker } from "./limits/turns.js";
export { shownChain } from "./lookups/shown-chain.js";
export { METHODS } from "./methods/index.js";
export { JsonText } from "./objects/json-text.js";
export { endOfString, shapeRefusal } from "./params/json-shape.js";
export { BOOLEAN, NUMBER } from "./params/value-types.js";
export { ChainFeed } from "./sources/chain-feed.js";
export type { ArtifactName, ContractArtifacts } from "./sources/developer.js";
export type {
  ChainEventSource,
  NewsSources,
  PendingEventSource,
  SyncStatus,
  SyncStatusSource,
  WorkEventSource,
} from "./sources/events.js";
export type {
  NodeAdmin,
  NodeStatus,
  PeerAdmin,
  PeerSource,
  PendingBlock,
  Readiness,
  ReloadedConfig,
} from "./sources/node.js";
export { createHub, hubNews } from "./subscriptions/create-hub.js";
export type { Deliver, SubscriptionHub } from "./subscriptions/hub.js";
export type { SubscriberConnection, Topic } from "./subscriptions/topic.js";
export type { HeavyExecutor } from "./tasks/heavy-executor.js";
export type { HeavyTaskName, HeavyTasks } from "./tasks/tasks.js";
export { rpcErrorOf } from "./thrown-errors.js";
export { DEFAULT_TRACE_OPTIONS } from "./tracing/trace-options.js";
