import { isObject } from "../json.ts"

/** The fields that errors of the client have. Each may be missing. */
export interface Told {
  readonly _tag?: string
  readonly message?: string
  readonly code?: string
  readonly status?: number
  readonly type?: string
  readonly outcome?: string
  readonly charge?: unknown
  readonly requestId?: string
  readonly idempotencyKey?: string
  /** Milliseconds. */
  readonly retryAfter?: number
  readonly events?: number
  readonly body?: string
  readonly cause?: unknown
}

/** An error of the client as data: a tagged error, or whatever else was thrown. */
export const toldBy = (error: unknown): Told => {
  if (isObject(error)) return error
  return { message: String(error) }
}
