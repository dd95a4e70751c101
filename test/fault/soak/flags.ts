/** Flags of the node under load. */
export const SOAK_FLAGS = ["--rpc.modules", "debug,trace,sco,admin", "--rpc.compatibility", "deployed"];
