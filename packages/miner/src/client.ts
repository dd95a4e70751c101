/** Exports for mining pools. Loads quickly, because it omits the block builder. */
export { searchNonce } from "./solutions/nonce-search.js";
export { mineParentBlock, type ParentBlock, randomTransaction } from "./solutions/parent-block.js";
export { SUBMISSION_METHODS, type SubmissionMethod, submissionRequest } from "./solutions/submission-request.js";
