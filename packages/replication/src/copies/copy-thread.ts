import { workerData } from "node:worker_threads";
import { type Logger, serveThread } from "@cambium/primitives";
import { connectTo, type StreamAddress } from "../connection.js";
import { type SealKeys, sealedStream } from "../seal.js";
import { type UploadOptions, type UploadResult, uploadCopy } from "./upload.js";

/** Upload options as plain data. */
export interface CopyThreadData extends Omit<UploadOptions, "address"> {
  address: StreamAddress;
  keys: SealKeys;
}

export interface CopyThreadMethods {
  /** Uploads a copy; see `uploadCopy`. */
  upload(argument: undefined): Promise<UploadResult | undefined>;
  /** Ends an upload. */
  stop(argument: undefined): void;
}

/** Logs nothing: the writer logs that NATS cannot be reached. */
const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

// Files are read, verified and sent in this thread, so that requests and blocks do not wait.
void serveThread<CopyThreadMethods>(() => {
  const { address, keys, ...options } = workerData as CopyThreadData;
  const stopped = new AbortController();
  return {
    methods: {
      async upload() {
        const connection = await connectTo(address, SILENT, stopped.signal);
        if (connection === undefined) return undefined;
        try {
          const sealed = sealedStream(address, keys);
          return await uploadCopy(connection, { ...options, address: sealed }, stopped.signal);
        } finally {
          await connection.close();
        }
      },
      stop: () => stopped.abort(),
    },
  };
});
