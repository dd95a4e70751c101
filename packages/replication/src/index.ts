export { connectionOptions, connectTo, type StreamAddress } from "./connection.js";
export { CopyPublisher, type CopyPublisherOptions } from "./copies/copy-publisher.js";
export { fetchCopy } from "./copies/fetch.js";
export { ReplicationError } from "./errors.js";
export { Publisher, type Retention } from "./publisher.js";
export { requestFailure, serveRequests, WriterRequests } from "./requests.js";
export { Subscriber } from "./subscriber.js";
export { Window } from "./window.js";
