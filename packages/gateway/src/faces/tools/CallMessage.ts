import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Progress } from "./progress.ts"

/** A page that a client shows its person. */
export interface ShownPage {
  readonly id: string
  readonly url: string
  readonly message: string
}

/** Asks the client for something instead of answering its call. It then sends the call again, with `requestState`. */
export interface Question {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: object }>>
  readonly requestState: string
}

/** What the message of a tool call says beside the tool and its input. */
export interface CallMessage {
  /** The revision of MCP that it is written in. */
  readonly revision: string
  readonly metadata: unknown
  readonly progress: Progress
  /** Whether the answer may be a task, which the client then polls. */
  readonly takesTasks: boolean
  /** What the client was given with a question, if it sends the call again. */
  readonly requestState?: unknown
  readonly inputResponses?: unknown
  /** Has the client of a session show a page. Returns whether it does; it fails if it cannot. */
  readonly showPage?: ((page: ShownPage) => Effect.Effect<"accept" | "decline" | "cancel", unknown>) | undefined
}

/** Whether a program asks in `_meta` for structured content. Models do not need it, so no tool's schema has it. */
export const asksForStructure = (metadata: unknown): boolean =>
  Predicate.hasProperty(metadata, "tollgate/structured") && metadata["tollgate/structured"] === true
