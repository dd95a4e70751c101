/** The client of a request, as limits and queues count it. */
export interface Client {
  /** Its API key, or its address (for IPv6, the /64) if no keys are configured. */
  readonly identity: string;
  /** What shares threads fairly with others: the identity, or one connection of an address that many programs use. */
  readonly share: string;
  /** Network of the address, whose clients together get the share of a few; undefined for keys and this machine. */
  readonly network?: string;
}

/** Requests of this process. */
export const OWN_CLIENT: Client = { identity: "", share: "" };
