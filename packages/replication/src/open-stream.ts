import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamState,
} from "@nats-io/jetstream";

/** Creates a stream, or updates its limits if it exists. `fixed`: settings that an existing stream keeps. */
export async function openStream(
  manager: JetStreamManager,
  name: string,
  limits: Partial<StreamConfig>,
  fixed: Partial<StreamConfig>,
): Promise<StreamState> {
  try {
    return (await manager.streams.update(name, limits)).state;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return (await manager.streams.add({ name, ...fixed, ...limits })).state;
  }
}

/** Whether a request failed because the stream does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}
