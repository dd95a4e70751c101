import type { Client } from "@cambium/api";
import type { ManagedKey } from "./managed-key.js";

/** The client of a request, with its API key. */
export interface KeyedClient extends Client {
  /**
   * Name of its API key; `file:` and a part of the digest for one without a name. Undefined if no keys are configured.
   */
  readonly keyName?: string;
  /** Its API key, if that has limits of its own; replaced when these change while it is connected. */
  key?: ManagedKey | undefined;
}
