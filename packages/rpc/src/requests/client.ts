/** The client of a request, as limits and queues count it. */
export interface Client {
  /** Its API key, or its address if no keys are configured. */
  readonly identity: string;
  /** What shares threads fairly with others: the identity, or one connection of an address that many programs use. */
  readonly share: string;
}

/** Requests of this process. */
export const OWN_CLIENT: Client = { identity: "", share: "" };
