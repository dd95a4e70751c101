import { Socket } from "node:net";

/** Descriptor of the listening socket in this process: the fifth inherited one. */
const LISTENER = 4;

// The channel between processes transfers the socket with a new descriptor.
const { _handle: handle } = new Socket({ fd: LISTENER }) as unknown as { _handle: never };
process.send!("listener", handle);
