/** What a mining pool needs; quick to load, because it leaves out what builds blocks. */
export { searchNonce } from "./solutions/nonce-search.js";
export { mineParentBlock, type ParentBlock, randomTransaction } from "./solutions/parent-block.js";
export { SUBMISSION_METHODS, type SubmissionMethod, submissionRequest } from "./solutions/submission-request.js";
