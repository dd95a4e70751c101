import { toData, toQuantity } from "@cambium/primitives";
import { failureReason, revertReason } from "../../calls/simulation-failure.js";
import { addressData } from "../../objects/format.js";
import type { Action, CallNode, LocatedLog } from "./frame-tree.js";
import { callError, revertText } from "./go-ethereum-texts.js";

/** Options of `callTracer` (`spec/09 §12.1`). */
export interface CallTracerOptions {
  onlyTopCall: boolean;
  withLog: boolean;
  /** Whether logs and errors are shown as the deployed client does. */
  isDeployed: boolean;
  /** Returns further members of a frame; without a node, of a self-destruct. */
  membersOf?(node: CallNode | undefined): object;
}

/** A log of `callTracer`: in the frame that emitted it, or in the deployed client's form. */
export type CallLog =
  | { address: string; topics: string[]; data: string; index: string; position: string }
  | { index: number; address: string; topics: string[]; data: string };

/** One call frame of `callTracer`; absent members are omitted. */
export interface CallFrame {
  type: string;
  from: string;
  to: string;
  value: string;
  gas: string;
  gasUsed: string;
  input: string;
  output: string;
  error?: string;
  revertReason?: string;
  calls?: CallFrame[];
  logs?: CallLog[];
}

/** The call frame of a node, with its inner calls unless only the top call is requested. */
export function callFrame(node: CallNode, options: CallTracerOptions): CallFrame {
  const delegates = node.kind === "delegatecall";
  return {
    type: node.kind.toUpperCase(),
    from: addressData(delegates ? node.to : node.from),
    to: addressData(delegates ? node.codeAddress : node.to),
    value: toQuantity(node.value),
    gas: toQuantity(node.gas),
    gasUsed: toQuantity(node.gasUsed),
    input: toData(node.input),
    output: toData(node.output),
    ...errorMembers(node, options),
    ...nestedMembers(node, options),
    ...options.membersOf?.(node),
  };
}

function errorMembers(node: CallNode, { isDeployed }: CallTracerOptions): Pick<CallFrame, "error" | "revertReason"> {
  const { failure, output } = node;
  const error = isDeployed && failure !== undefined ? failureReason(failure) : callError(node);
  if (error === undefined) return {};
  const textOf = isDeployed ? revertReason : revertText;
  const reason = failure === undefined ? textOf(output) : undefined;
  return reason === undefined ? { error } : { error, revertReason: reason };
}

function nestedMembers(node: CallNode, options: CallTracerOptions): Pick<CallFrame, "calls" | "logs"> {
  const members: Pick<CallFrame, "calls" | "logs"> = {};
  if (!options.onlyTopCall && node.actions.length > 0) {
    members.calls = node.actions.map((action) => {
      return action.type === "call"
        ? callFrame(action.node, options)
        : { ...selfDestructObject(action), ...options.membersOf?.(undefined) };
    });
  }
  if (!options.withLog) return members;
  const logs = options.isDeployed ? node.logs.flatMap(deployedLog) : node.ownLogs.flatMap(callLog);
  if (logs.length > 0) members.logs = logs;
  return members;
}

/** The log, unless an outer frame failed. */
function callLog({ log: { address, topics, data }, index, position }: LocatedLog): CallLog[] {
  if (index === undefined) return [];
  const place = { index: toQuantity(index), position: toQuantity(position) };
  return [{ address: toData(address), topics: topics.map(toData), data: toData(data), ...place }];
}

function deployedLog({ log, index }: LocatedLog): CallLog[] {
  if (index === undefined) return [];
  return [{ index, address: toData(log.address), topics: log.topics.map(toData), data: toData(log.data) }];
}

type SelfDestruct = Extract<Action, { type: "selfDestruct" }>;

function selfDestructObject({ address, beneficiary, amount }: SelfDestruct): CallFrame {
  return {
    type: "SELFDESTRUCT",
    from: toData(address),
    to: toData(beneficiary),
    value: toQuantity(amount),
    gas: "0x0",
    gasUsed: "0x0",
    input: "0x",
    output: "0x",
  };
}
