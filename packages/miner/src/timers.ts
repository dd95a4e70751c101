import type { Scheduler } from "./interface.js";

/** The platform's timers, which keep no process alive. */
export const platformTimers: Scheduler = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds);
    timer.unref();
    return () => clearInterval(timer);
  },
};
