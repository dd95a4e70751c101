/** What a mining pool needs; quick to load, because it leaves out what builds blocks. */
export { searchNonce } from "./nonce-search.js";
export { mineParentBlock, type ParentBlock, randomTransaction } from "./parent-block.js";
export { SUBMISSION_METHODS, type SubmissionMethod, submissionRequest } from "./submission-request.js";
