import { ThreadError } from "@cambium/primitives";
import { serverBusy } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";

/**
 * The result of a read at `pending` in another thread. Rejects with {@link RpcError} `LIMIT_EXCEEDED` if the deadline
 * passes first, or if the thread has failed or has too many reads in flight.
 */
export async function pendingRead<T>(answer: Promise<T>, deadline: Deadline): Promise<T> {
  try {
    return await deadline.limit(answer);
  } catch (error) {
    throw error instanceof ThreadError ? serverBusy() : error;
  }
}
