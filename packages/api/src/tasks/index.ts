export { timeLimitExceeded } from "../errors.js";
export { resultText, runNow, runTask, type TaskParts } from "./tasks.js";
