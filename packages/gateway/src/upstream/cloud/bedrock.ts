import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { tryParse } from "../../internal/jsonValue.ts"
import { hasType } from "../protocols/message.ts"
import { broken, eventStreamType, type Frame, FrameReader } from "./eventStream.ts"

/** Bedrock's names for what went wrong, as Anthropic names it. */
const errorTypes: Readonly<Record<string, string>> = {
  throttling: "rate_limit_error",
  servicequotaexceeded: "rate_limit_error",
  validation: "invalid_request_error",
  resourcenotfound: "not_found_error",
  accessdenied: "permission_error",
  serviceunavailable: "overloaded_error",
  modelnotready: "overloaded_error",
  modeltimeout: "timeout_error"
}

/** The model itself failed: it may have run, and the caller is not to blame. */
const statuses: Readonly<Record<number, number>> = { 408: 504, 424: 502 }

const typeOf = (name = ""): string => errorTypes[name.replace(/Exception\b.*/, "").toLowerCase()] ?? "api_error"

const errorBody = (type: string, message: unknown): string =>
  JSON.stringify({ type: "error", error: { type, message: message ?? "The upstream failed." } })

const eventOf = (name: unknown, json: string): Uint8Array =>
  Utf8.encode(`${typeof name === "string" && /^\w+$/.test(name) ? `event: ${name}\n` : ""}data: ${json}\n\n`)

const errorEvent = (type: string, message: unknown): Uint8Array => eventOf("error", errorBody(type, message))

/** Between values JSON may have line ends, which would end the line of an event. */
const onOneLine = (json: Uint8Array): string => Utf8.decode(json).replace(/[\r\n]+/g, " ")

/** The event of a protocol that a frame holds. `undefined`: it holds none. */
const eventIn = (
  { headers, payload }: Frame,
  isFirst: boolean,
  protocol: string
): Uint8Array | NotCarried | undefined => {
  const kind = headers.get(":message-type")
  if (kind === "error") return errorEvent("api_error", headers.get(":error-message"))
  if (kind === "exception") {
    const name = headers.get(":exception-type") ?? ""
    // The model itself failed: it may have run.
    if (isFirst && name.startsWith("model")) return broken(`began with ${name.slice(0, 100)}`)
    return errorEvent(typeOf(name), read(tryParse(payload), ["message"]))
  }
  const name = headers.get(":event-type") ?? ""
  // A frame of `Converse` is an event. Those of `InvokeModel` hold the events of the model.
  if (protocol === "converse" && /^\w+$/.test(name)) return eventOf(undefined, `{"${name}":${onOneLine(payload)}}`)
  if (name !== "chunk") return undefined
  const encoded = read(tryParse(payload), ["bytes"])
  const decoded = typeof encoded === "string" ? Result.getOrUndefined(Base64.decode(encoded)) : undefined
  if (decoded === undefined) return broken("has a frame that is not valid")
  return eventOf(read(tryParse(decoded), ["type"]), onOneLine(decoded))
}

/** A stream of frames as server-sent events. A frame that is cut, or has a wrong checksum, breaks it off. */
export const toEvents = (
  frames: Stream.Stream<Uint8Array, NotCarried>,
  maxFrameBytes: number,
  protocol = "anthropic"
): Stream.Stream<Uint8Array, NotCarried> =>
  Stream.transformPull(frames, (pull) =>
    Effect.sync(() => {
      const reader = new FrameReader(maxFrameBytes)
      let problem: NotCarried | undefined
      let isFirst = true
      const eventsIn = (chunks: ReadonlyArray<Uint8Array>) => {
        const events: Array<Uint8Array> = []
        for (const chunk of chunks) {
          problem ??= reader.push(chunk, (frame) => {
            const event = eventIn(frame, isFirst, protocol)
            if (event instanceof NotCarried) return event
            isFirst = false
            if (event !== undefined) events.push(event)
            return undefined
          })
        }
        return events
      }
      const next: Pull.Pull<readonly [Uint8Array, ...Array<Uint8Array>], NotCarried> = Effect.suspend(() =>
        problem !== undefined
          ? Effect.fail(problem)
          : Pull.matchEffect(pull, {
              onSuccess: (chunks) => {
                const events = eventsIn(chunks)
                return isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : next
              },
              onFailure: Effect.failCause,
              onDone: (): Effect.Effect<never, NotCarried | Cause.Done> =>
                reader.isWithin ? Effect.fail(broken("ended within a frame")) : Cause.done()
            })
      )
      return next
    })
  )

/** Base64 and its JSON take a third more than the event. */
const frameBytes = (eventBytes: number): number => eventBytes * 1.5 + 4_096

/** An answer with its stream as events, and the errors of the service in Anthropic's shape. */
export const asEvents = (answer: Incoming, eventBytes: number, protocol: string): Incoming => {
  const { body, headers, status } = answer
  if (!(body instanceof Uint8Array)) {
    if (!hasType(answer, eventStreamType)) return answer
    const typed = { ...headers, "content-type": "text/event-stream" }
    return { status, headers: typed, body: toEvents(body, frameBytes(eventBytes), protocol) }
  }
  const own = status < 400 ? undefined : tryParse(body)
  const message = read(own, ["message"]) ?? read(own, ["Message"])
  if (typeof message !== "string") return answer
  const typed = { ...headers, "content-type": "application/json" }
  return {
    status: statuses[status] ?? status,
    headers: typed,
    body: Utf8.encode(errorBody(typeOf(headers["x-amzn-errortype"]), message))
  }
}
