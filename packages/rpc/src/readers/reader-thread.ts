import { workerData } from "node:worker_threads";
import { serveThread } from "@cambium/primitives";
import type { ReaderMethods, ReaderThreadData } from "./messages.js";
import { Reader } from "./reader.js";

void serveThread<ReaderMethods>(async () => {
  const reader = await Reader.open(workerData as ReaderThreadData);
  const { announced } = reader;
  return {
    methods: {
      listen: (fd) => reader.listen(fd),
      announce: (event) => announced.announce(event),
      announcePending: (transactions) => announced.announcePending(transactions),
      announceSync: (status) => announced.announceSync(status),
      change: (changes) => reader.change(changes),
      announceWork: (work) => announced.announceWork(work),
    },
    close: () => reader.close(),
  };
});
