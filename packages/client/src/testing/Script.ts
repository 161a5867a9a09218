import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Code } from "@tollgate/contract/errors/codes"
import type { Family } from "@tollgate/contract/errors/Family"
import type * as Duration from "effect/Duration"
import type { Event } from "../events/Event.ts"
import type { AnswerOf, Call, InputOf, Target } from "./Call.ts"

export type Headers = Readonly<Record<string, string>>

interface Reply<A> {
  readonly kind: "reply"
  readonly value: A
  readonly cost?: string
  readonly headers?: Headers
}

export interface Refused {
  readonly kind: "refused"
  readonly code: Code
  readonly message?: string
  readonly status?: number
  readonly retryAfter?: Duration.Input
  readonly headers?: Headers
}

interface Raw {
  readonly kind: "raw"
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly cost?: string
}

interface Broken<A> {
  readonly kind: "broken"
  readonly why: NotCarried["why"]
  /** What the gateway did before the answer was lost. Without it, the request never arrived. */
  readonly after?: Step<A>
}

interface Hang {
  readonly kind: "hang"
}

interface Later<A> {
  readonly kind: "later"
  readonly after: Duration.Input
  readonly step: Step<A>
}

/** How a stream ends: complete, without an end, with a reset, with silence, or with an error of this code. */
export type StreamEnding = "whole" | "cut" | "reset" | "hang" | Code

/** The format of a stream: that of the family, or of OpenAI's Responses. */
export type StreamFormat = Family | "responses"

/** The events of a stream, and those that end it. */
export interface TextEvents {
  readonly events: ReadonlyArray<Event>
  readonly closing: ReadonlyArray<Event>
}

export interface Events {
  readonly kind: "events"
  readonly eventsFor: (format: StreamFormat) => TextEvents
  readonly end: StreamEnding
  /** Between two events. */
  readonly every?: Duration.Input
  readonly cost?: string
}

/** How one request is answered, or fails. */
export type Step<A = unknown> = Reply<A> | Refused | Raw | Broken<A> | Hang | Later<A> | Events

/** Steps in order, each used once. */
export interface Sequence<A = unknown> {
  readonly kind: "sequence"
  readonly steps: ReadonlyArray<Step<A>>
}

/** The same step for each call, a sequence, or a function of the call. */
export type Script<T extends Target = Target> =
  | Step<AnswerOf<T>>
  | Sequence<AnswerOf<T>>
  | ((call: Call<InputOf<T>>) => Step<AnswerOf<T>>)

type Answers = (call: Call<never>) => Step | undefined

const stepsOf = (script: Script): Answers => {
  if (typeof script === "function") return script as Answers
  if (script.kind !== "sequence") return () => script
  const rest = script.steps.values()
  return () => rest.next().value
}

/** The scripts by operation, and how many steps were used. */
export class Scripts {
  readonly #scripts = new Map<string, { readonly next: Answers; readonly steps: number | undefined; used: number }>()

  set<T extends Target>(id: string, script: Script<T>): void {
    const steps = typeof script === "object" && script.kind === "sequence" ? script.steps.length : undefined
    this.#scripts.set(id, { next: stepsOf(script as Script), steps, used: 0 })
  }

  next(call: Call): Step | undefined {
    const script = this.#scripts.get(call.operation)
    const step = script?.next(call as Call<never>)
    if (script !== undefined && step !== undefined) script.used++
    return step
  }

  get described(): string {
    const all = [...this.#scripts].map(([id, { steps, used }]) =>
      steps === undefined ? id : `${id} (${used} of ${steps} steps used)`
    )
    return all.length === 0 ? "Nothing is scripted" : `Scripted: ${all.join(", ")}`
  }

  /** Sequences with unused steps. */
  get unused(): ReadonlyArray<string> {
    return [...this.#scripts].flatMap(([id, { steps = 0, used }]) =>
      used < steps ? [`${id}: ${steps - used} of ${steps} scripted steps were not used`] : []
    )
  }
}
