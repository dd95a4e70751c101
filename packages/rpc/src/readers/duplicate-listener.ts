import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { threadEntry } from "@cambium/primitives";

const ECHO = threadEntry("./listener-echo.js", import.meta.url);
const TIME_LIMIT = 10_000;

/**
 * Opens another descriptor of a listening socket of this process, for a server of this thread
 * (`server.listen(handle)`). Threads that share a descriptor would each close it. The second close could hit a
 * descriptor that another thread has opened since. Node.js duplicates descriptors only between processes: a process
 * that inherits the socket sends it back. Not on Windows.
 */
export function duplicateListener(fd: number): Promise<object> {
  const echo = fork(fileURLToPath(ECHO), { stdio: ["ignore", "ignore", "ignore", "ipc", fd], execArgv: [] });
  return new Promise<object>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`cannot duplicate the listening socket: ${reason}`));
    const timer = setTimeout(() => fail("no response"), TIME_LIMIT);
    echo.once("message", (_, handle) => {
      clearTimeout(timer);
      if (handle === undefined) fail("none was received");
      else resolve(handle);
    });
    echo.once("error", ({ message }) => fail(message));
    // Emitted after all messages of the process.
    echo.once("disconnect", () => fail("the process that sends it back has ended"));
  }).finally(() => echo.kill());
}
