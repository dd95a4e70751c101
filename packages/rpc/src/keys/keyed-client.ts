import type { Client } from "@cambium/api";
import type { ManagedKey } from "./managed-key.js";

/** The client of a request, with its API key. */
export interface KeyedClient extends Client {
  /**
   * Name of the API key; `file:` and a part of the digest for one without a name. Undefined if no keys are configured.
   */
  readonly keyName?: string;
  /** The API key, if it has individual limits; replaced when these change while the client is connected. */
  key?: ManagedKey | undefined;
}
