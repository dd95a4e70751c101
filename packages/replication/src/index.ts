export { connectionOptions, connectTo, type StreamAddress } from "./connection.js";
export { ReplicationError } from "./errors.js";
export { Publisher, type Retention } from "./publisher.js";
export { requestFailure, serveRequests, WriterRequests } from "./requests.js";
export { Subscriber } from "./subscriber.js";
