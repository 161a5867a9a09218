import type { Parent, Span } from "./Span.ts"

/** Takes the spans of calls that have ended. */
export interface Recorder {
  /** Unix nanoseconds. */
  readonly now: () => bigint
  readonly push: (spans: ReadonlyArray<Span>) => void
  /** The call has started a task, whose end is told by another event. */
  readonly rememberTask: (call: string, span: Parent) => void
}
