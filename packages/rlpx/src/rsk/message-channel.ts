/** A connection that carries messages of the capability. */
export interface MessageChannel {
  /** Always accepts a message. Returns false if the next one should wait for {@link MessageChannel.drained}. */
  send(code: number, payload: Uint8Array): boolean;
  /** Resolves when the connection has sent all accepted messages. */
  drained(): Promise<void>;
  close(reason: string): void;
  /** Records the size of the messages that wait to be sent, in bytes. */
  noteWaiting?(bytes: number): void;
}
