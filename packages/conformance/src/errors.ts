import { CambiumError } from "@cambium/primitives";

/** Why vectors cannot be run at all; what a vector comes to is a `CaseResult`, not an error. */
export class ConformanceError extends CambiumError<{ code: "FILE_NOT_FOUND"; path: string }> {}
