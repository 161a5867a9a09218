import * as Predicate from "effect/Predicate"

/** What the caller learns from its client. */
export interface CallerResult {
  /** `answer`, the class of the error, or a description. */
  readonly got: string
  readonly status?: number
  readonly code?: string
  /** Whether the caller gets the request id. */
  readonly requestId?: true
  readonly outcome?: string
  /** The cost state, if the caller gets it. */
  readonly charge?: string
}

/** Reads a nested field of an unknown value. */
export const field = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((at, name) => (Predicate.isObject(at) ? (at as Record<string, unknown>)[name] : undefined), value)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Leaves out fields without a value. */
export const callerResult = (
  got: string,
  all: { status?: unknown; code?: unknown; requestId?: unknown; outcome?: unknown; charge?: unknown } = {}
): CallerResult => {
  const { status } = all
  const [code, outcome, charge] = [text(all.code), text(all.outcome), text(all.charge)]
  return {
    got,
    ...(typeof status === "number" ? { status } : {}),
    ...(code === undefined ? {} : { code }),
    ...(text(all.requestId) === undefined ? {} : { requestId: true }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(charge === undefined ? {} : { charge })
  }
}

export const nameOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error)

/** The stream was truncated and the client reported no error. */
export const truncated = "a part, and no error"
