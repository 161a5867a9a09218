import type { Ended, Observer } from "../src/observe/Observer.ts"
import { observe } from "../src/observe/observe.ts"
import { spans } from "../src/observe/spans.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

/** A tracer that records its spans in `made`. */
export const tracer = () => {
  const made: Array<Tracer.NativeSpan> = []
  const layer = Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        made.push(span)
        return span
      }
    })
  )
  const observed = () => Layer.merge(layer, observe(spans))
  return { made, layer, observed }
}

export const attributesOf = (span: Tracer.NativeSpan | undefined) => Object.fromEntries(span?.attributes ?? [])

/** The attributes of each event, without its time. */
export const eventsOf = (span: Tracer.NativeSpan | undefined) =>
  span?.events.map(([name, , more]) => ({ name, ...more }))

/** The error's name and message as an exporter shows them. */
export const endOf = (span: Tracer.NativeSpan | undefined) => {
  if (span?.status._tag !== "Ended") return "not ended"
  const { exit } = span.status
  if (exit._tag === "Success") return "success"
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? String(reason.error) : reason?._tag
}

/** An observer that records the ended calls. */
export const recorder = () => {
  const ended: Array<Ended> = []
  const observer: Observer = () => Effect.succeed({ ended: (call) => Effect.sync(() => ended.push(call)) })
  return { ended, layer: observe(observer) }
}
