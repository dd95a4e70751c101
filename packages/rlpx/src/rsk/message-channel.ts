/** A connection that carries messages of the capability. */
export interface MessageChannel {
  /** Takes a message in any case; false if the next should wait for {@link MessageChannel.drained}. */
  send(code: number, payload: Uint8Array): boolean;
  /** Resolves when the connection has sent what it took. */
  drained(): Promise<void>;
  close(reason: string): void;
  /** Notes the bytes of messages that wait to be sent. */
  noteWaiting?(bytes: number): void;
}
