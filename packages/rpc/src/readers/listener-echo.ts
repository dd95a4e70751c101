import { Socket } from "node:net";

/** Descriptor of the listening socket in this process: the fifth of those that it inherits. */
const LISTENER = 4;

// Sent over the channel between processes, the socket arrives with its own descriptor.
const { _handle: handle } = new Socket({ fd: LISTENER }) as unknown as { _handle: never };
process.send!("listener", handle);
