import type { NatsConnection } from "@nats-io/transport-node";
import { listen } from "../connection.js";

/** A service as NATS names it: several programs offer the same one, each under an id. */
export interface ServiceDescription {
  /** Letters, digits, `-` and `_`. */
  name: string;
  id: string;
  /** Three numbers with dots. */
  version: string;
  description: string;
  endpoint: { name: string; subject: string };
  /** What the service says of itself when it is asked for its statistics. */
  data: () => unknown;
}

const TYPE = "io.nats.micro.v1";

/**
 * Answers the requests with which services are found: `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`, for all services, those of a name, or one
 * (NATS architecture decision 32), until the connection is closed. `nats service list` shows it.
 */
export function announceService(connection: NatsConnection, service: ServiceDescription): void {
  const { name, id, version, description, endpoint, data } = service;
  const started = new Date().toISOString();
  const identity = { name, id, version, metadata: {} };
  const answers = {
    PING: () => ({ ...identity, type: `${TYPE}.ping_response` }),
    INFO: () => ({
      ...identity,
      type: `${TYPE}.info_response`,
      description,
      endpoints: [{ ...endpoint, queue_group: "", metadata: {} }],
    }),
    STATS: () => ({
      ...identity,
      type: `${TYPE}.stats_response`,
      started,
      endpoints: [{ ...endpoint, queue_group: "", ...NO_STATISTICS, data: data() }],
    }),
  };
  for (const [verb, answer] of Object.entries(answers)) {
    for (const subject of [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`]) {
      listen(connection, subject, (message) => void message.respond(JSON.stringify(answer())));
    }
  }
}

/** Pieces are counted by metrics. */
const NO_STATISTICS = {
  num_requests: 0,
  num_errors: 0,
  last_error: "",
  processing_time: 0,
  average_processing_time: 0,
};

/** A program that claims to offer a service. */
export interface FoundService {
  /** Up to 64 letters and digits. */
  id: string;
  data: unknown;
}

/** Maximum number of services that are considered. */
const MAX_FOUND = 256;

/** Finds the programs that offer a service and answer within `wait` milliseconds. Rejects if the connection fails. */
export async function findServices(connection: NatsConnection, name: string, wait: number): Promise<FoundService[]> {
  const found: FoundService[] = [];
  const options = { strategy: "stall", maxWait: wait, stall: wait / 2 } as const;
  for await (const message of await connection.requestMany(`$SRV.STATS.${name}`, "", options)) {
    const service = parsed(message.string());
    if (service !== undefined) found.push(service);
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

/** Ignores the subject in the answer: it could be any one to which this node may publish, such as the JetStream API. */
function parsed(text: string): FoundService | undefined {
  try {
    const { id, endpoints } = JSON.parse(text);
    const [{ data }] = endpoints;
    return typeof id === "string" && /^[0-9A-Za-z]{1,64}$/.test(id) ? { id, data } : undefined;
  } catch {
    return undefined;
  }
}
