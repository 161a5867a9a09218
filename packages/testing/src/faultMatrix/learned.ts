import * as Predicate from "effect/Predicate"

/** What the caller knows when its client is done. */
export interface Learned {
  /** `answer`, the class of an error, or what else it was left with. */
  readonly got: string
  readonly status?: number
  readonly code?: string
  /** Whether it can name the call to the gateway's operator. */
  readonly requestId?: true
  readonly outcome?: string
  /** What it is told of the charge. */
  readonly charge?: string
}

/** A field of something, through as many others as are named. */
export const field = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((at, name) => (Predicate.isObject(at) ? (at as Record<string, unknown>)[name] : undefined), value)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Only what is there. */
export const learned = (
  got: string,
  all: { status?: unknown; code?: unknown; requestId?: unknown; outcome?: unknown; charge?: unknown } = {}
): Learned => {
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

/** Where a stream ended in the middle and nobody said so. */
export const part = "a part, and no error"
