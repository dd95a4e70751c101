import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
  type StreamState,
} from "@nats-io/jetstream";

/** Code of the error that a server reserves no space for a stream, because its disk or its limit is too small. */
const NO_STORAGE = 10047;

/**
 * Creates a stream, or updates its limits if it exists. `fixed`: settings that an existing stream keeps. Rejects with
 * an error that says what to do if the server has no space for the stream's maximum size, which it reserves.
 */
export async function openStream(
  manager: JetStreamManager,
  name: string,
  limits: Partial<StreamConfig>,
  fixed: Partial<StreamConfig>,
): Promise<StreamState> {
  try {
    return (await updateOrAdd(manager, name, limits, fixed)).state;
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === NO_STORAGE)) throw error;
    const { max_bytes: bytes } = limits;
    throw new Error(
      `the NATS server has no space for the stream ${name} of ${bytes} bytes: give it more, or lower the maximum size ` +
        "(--replicate.max-size, of a feed --nats.max-size)",
      { cause: error },
    );
  }
}

async function updateOrAdd(
  manager: JetStreamManager,
  name: string,
  limits: Partial<StreamConfig>,
  fixed: Partial<StreamConfig>,
): Promise<StreamInfo> {
  try {
    return await manager.streams.update(name, limits);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return manager.streams.add({ name, ...fixed, ...limits });
  }
}

/** Whether a request failed because the stream does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}
