import type { Outcome } from "@tollgate/contract/Outcome"
import * as Predicate from "effect/Predicate"
import type { Hide } from "../credential/hideCredential.ts"

/** One event, in the protocol's own shape. Its fields are not typed. */
export type Event = Readonly<Record<string, unknown>>

export const object = (value: unknown): Event => (Predicate.isObject(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<Event> => (Array.isArray(value) ? value.map(object) : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Only the first of several candidate answers is read. */
const isFirst = ({ index }: Event): boolean => index === undefined || index === 0

const textsIn = (parts: unknown): ReadonlyArray<string> =>
  list(parts).map((part) => (part["thought"] === true ? "" : (text(part["text"]) ?? "")))

/** The text of an answer, or what an event adds to it, in any of the protocols. An empty string if there is none. */
export const textOf = (event: Event): string => {
  const { type } = event
  if (type === "response.output_text.delta") return text(event["delta"]) ?? ""
  if (type === "content_block_delta") return text(object(event["delta"])["text"]) ?? ""
  const items = event["object"] === "response" ? list(event["output"]) : [event]
  return [
    ...items.filter(({ type }) => type === "message").flatMap(({ content }) => textsIn(content)),
    ...list(event["choices"])
      .filter(isFirst)
      .map(({ delta, message, text: old }) => text(old ?? object(delta ?? message)["content"]) ?? ""),
    ...list(event["candidates"])
      .filter(isFirst)
      .flatMap(({ content }) => textsIn(object(content)["parts"]))
  ].join("")
}

/** The progress of reading one stream. */
export interface Reading {
  readonly operation: string
  readonly requestId: string | undefined
  readonly hide: Hide
  /** Passed to the caller so far. */
  events: number
  /** `whole`: complete, but more may follow. `over`: only the charge may follow. */
  state: "open" | "whole" | "over"
}

/** The fields of every stream error. */
export const progressOf = ({ events, hide, operation, requestId }: Reading) => ({
  operation,
  ...(requestId === undefined ? {} : { requestId: hide(requestId) }),
  events,
  outcome: (events > 0 ? "executed" : "unknown") satisfies Outcome as Outcome
})
