import * as Hex from "effect/encoding/Hex"
import { entriesToAttributes } from "effect/observability/OtlpResource"
import type { ScopeSpan } from "effect/observability/OtlpTracer"
import type { TraceContext } from "./TraceContext.ts"

/** What looks like a credential. Callers put their keys into odd places, such as the name of a model. */
const credential = /tg_[0-9A-Za-z]{16,}|\b(Bearer|Basic)\s+[^\s"',;]+/gi

/** Hides credentials in a text that callers or upstreams chose. */
export const redact = (text: string): string =>
  text.replaceAll(credential, (_, scheme: string | undefined) =>
    scheme === undefined ? "<redacted>" : `${scheme} <redacted>`
  )

type OtlpSpan = ScopeSpan["spans"][number]

type Attribute = string | number | bigint | boolean

const kinds = { internal: 1, server: 2, client: 3 } as const

/** Texts that callers or upstreams choose are cut to this many characters. */
const longestText = 256

/** Without half a surrogate pair, which protobuf's text could not hold. */
const bounded = (text: string): string =>
  redact((text.length > longestText ? text.slice(0, longestText) : text).toWellFormed())

/** What is known of a parent: a span of this gateway, or of a caller. */
export type Parent = Pick<TraceContext, "traceId" | "spanId" | "state">

/** A piece of work in a trace. Times are Unix nanoseconds. */
export class Span implements TraceContext {
  readonly traceId: string
  readonly spanId: string = Hex.random(16)
  readonly sampled = true
  readonly state: string | undefined
  readonly #parentId: string | undefined
  readonly #name: string
  readonly #kind: keyof typeof kinds
  readonly startedAt: bigint
  readonly #attributes = new Map<string, Attribute>()
  readonly #events: Array<{ readonly name: string; readonly at: bigint }> = []
  readonly #links: Array<Parent> = []
  #endedAt: bigint | undefined
  #error: string | undefined

  constructor(name: string, kind: keyof typeof kinds, startedAt: bigint, parent?: Parent) {
    this.traceId = parent?.traceId ?? Hex.random(32)
    this.state = parent?.state
    this.#parentId = parent?.spanId
    this.#name = bounded(name)
    this.#kind = kind
    this.startedAt = startedAt
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined
  }

  /** `undefined` sets nothing. */
  set(name: string, value: Attribute | undefined): void {
    if (value !== undefined) this.#attributes.set(name, typeof value === "string" ? bounded(value) : value)
  }

  event(name: string, at: bigint): void {
    this.#events.push({ name, at })
  }

  link(to: Parent): void {
    this.#links.push(to)
  }

  /** The work failed. `type` is of a small set of words: never a message, which may repeat what was sent. */
  fail(type: string): void {
    this.#error = type
    this.set("error.type", type)
  }

  /** The first end counts. */
  end(at: bigint): void {
    this.#endedAt ??= at < this.startedAt ? this.startedAt : at
  }

  toOtlp(): OtlpSpan {
    const { spanId, state, traceId } = this
    const span = {
      traceId,
      spanId,
      parentSpanId: this.#parentId,
      name: this.#name,
      kind: kinds[this.#kind],
      startTimeUnixNano: String(this.startedAt),
      endTimeUnixNano: String(this.#endedAt ?? this.startedAt),
      attributes: entriesToAttributes(this.#attributes),
      droppedAttributesCount: 0,
      events: this.#events.map(({ at, name }) => ({
        name,
        timeUnixNano: String(at),
        attributes: [],
        droppedAttributesCount: 0
      })),
      droppedEventsCount: 0,
      links: this.#links.map(({ spanId, traceId }) => ({ traceId, spanId, attributes: [], droppedAttributesCount: 0 })),
      droppedLinksCount: 0,
      status: this.#error === undefined ? { code: 0 as const } : { code: 2 as const, message: this.#error }
    }
    return state === undefined ? span : Object.assign(span, { traceState: state })
  }
}
