export type { BinaryAnswer } from "../call/answer.ts"
export type { CallFunction } from "../call/CallFunction.ts"
export type { Arguments, OfferedOptions } from "./call.ts"
export { type CheckContract, type CheckOptions, contractCheck } from "../promises/verifyContract.ts"
export type { Description } from "./Description.ts"
export { described, describedStream, type StreamFunction } from "./described.ts"
export type { BilledError, FreeError, OfferedError, OfferedStreamError } from "./errors.ts"
export { call, pages, quote, resume, stream } from "./faces.ts"
export type { PagesOptions } from "./pages.ts"
export { type OnClient, onPromises, type PromiseApi } from "../promises/promisedFunctions.ts"

/** A file to send: its bytes, or also its type and name. Where only JSON can be written, the bytes are in base64. */
export type FileInput =
  | Uint8Array
  | { readonly bytes: Uint8Array; readonly contentType?: string; readonly filename?: string }
  | { readonly base64: string; readonly content_type?: string; readonly filename?: string }
