import { attempt } from "@tollgate/contract/attempt"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import { conversationOf, isChat } from "../conversation.ts"
import { type Arguments, isObject, problemIn, setIn } from "../json.ts"
import { parseCap, Wrong } from "../../../ui/parseUsd.ts"

export type View = "chat" | "form" | "json"

/** A text as it was typed, and what is wrong with it. */
export interface Typed {
  readonly text: string
  readonly problem: string | undefined
}

export interface Draft {
  readonly view: View
  readonly arguments: Arguments
  /** Texts of fields as they were typed, by path, so that nothing is lost that is no valid value yet. */
  readonly texts: Readonly<Record<string, Typed>>
  /** The text of all arguments, while it differs from what the form would write. */
  readonly text: string | undefined
  /** The most that the call may cost, in decimal USD. Empty: no cap. */
  readonly cap: string
  /** The scenario of the sandbox. Empty: none. */
  readonly scenario: string
  readonly streams: boolean
  /** Another model that gets the same call. Empty: none. */
  readonly otherModel: string
}

export const draftOf = (operation: OfferedOperation): Draft => ({
  view: isChat(operation) ? "chat" : "form",
  arguments: exampleOf(operation),
  texts: {},
  text: undefined,
  cap: "",
  scenario: "",
  streams: operation.streams,
  otherModel: ""
})

/** The one operation of its protocol that answers with a stream does so always. */
export const streamsAlways = ({ family, streams }: OfferedOperation): boolean => streams && family === "gemini"

export const isStreamed = (operation: OfferedOperation, { streams }: Pick<Draft, "streams">): boolean =>
  streamsAlways(operation) || (operation.streams && streams)

/** Waits until nobody has typed for a moment: `useLoad` interrupts it when there is another effect. */
export const pauseInTyping = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.delay(effect, "350 millis")

export const capProblemOf = (cap: string): string | undefined => {
  const parsed = parseCap(cap)
  return parsed instanceof Wrong ? parsed.message : undefined
}

/** The cap as it is sent. `undefined`: none, or none that is valid. */
export const capOf = ({ cap }: Draft): string | undefined => {
  const parsed = parseCap(cap)
  return parsed instanceof Wrong ? undefined : parsed
}

/** The arguments of the same call of the other model. `undefined`: there is none. */
export const besideArguments = (
  operation: OfferedOperation,
  { arguments: given, otherModel }: Draft
): Arguments | undefined => {
  const conversation = conversationOf(operation)
  return conversation === undefined || otherModel === "" ? undefined : setIn(given, conversation.model, otherModel)
}

/** Why the draft cannot be sent as it is. */
export const problemOf = ({ cap, text, texts }: Draft): string | undefined => {
  if (text !== undefined && problemIn(text) !== undefined) return "The JSON text is not valid yet"
  if (Object.values(texts).some(({ problem }) => problem !== undefined)) return "A field is not valid yet"
  return capProblemOf(cap) === undefined ? undefined : "The cap is not valid yet"
}

const week = 7 * 24 * 60 * 60

/** Values that need no question: the report of usage begins a week ago. */
export const exampleOf = ({ example, template }: OfferedOperation): Arguments => {
  if (template !== "usage") return example
  const now = Math.floor(Date.now() / 1_000)
  return { ...example, start_time: now - week, ...(Object.hasOwn(example, "end_time") ? { end_time: now } : {}) }
}

/** Whether the example names something that need not be there. */
export const hasPlaceholder = ({ template }: OfferedOperation): boolean =>
  /(^|\.)(task\.get|contracts\.source|cached_answer|oauth_callback)$/.test(template)

/** What a link carries of a call. Nothing of who made it. */
type Shared = Pick<Draft, "arguments" | "cap" | "streams" | "view">

/** Longer addresses are cut by programs that people send them with. */
const longest = 8_000
const mark = "#call="

const decode = (text: string): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(Result.getOrThrow(Base64Url.decode(text)))

/** The part of an address that holds the call: browsers do not send it. `undefined`: it would be too long. */
export const fragmentOf = ({ arguments: given, cap, streams, view }: Draft): string | undefined => {
  const text = JSON.stringify({ arguments: given, cap, streams, view } satisfies Shared)
  if (text.length > longest) return undefined
  const fragment = `${mark}${Base64Url.encode(text)}`
  return fragment.length > longest ? undefined : fragment
}

const modelMark = "model="

/** The part of an address that only names a model, without the mark before it. */
export const modelFragment = (model: string): string => `${modelMark}${encodeURIComponent(model)}`

/** The example with another model. The field is the operation's own, so a form without one stays as it is. */
const withModel = (operation: OfferedOperation, model: string): Partial<Draft> | undefined => {
  if (model.length > 300 || operation.example["model"] === undefined) return undefined
  return { ...draftOf(operation), arguments: { ...exampleOf(operation), model } }
}

/** What a link asks for, or nothing if it is not one of ours. It only fills in the form: a person still has to send it. */
export const sharedIn = (fragment: string, operation: OfferedOperation): Partial<Draft> | undefined => {
  if (fragment.length > longest) return undefined
  return attempt(() => {
    if (fragment.startsWith(`#${modelMark}`)) {
      return withModel(operation, decodeURIComponent(fragment.slice(modelMark.length + 1)))
    }
    if (!fragment.startsWith(mark)) return undefined
    const read: unknown = JSON.parse(decode(fragment.slice(mark.length)))
    if (!isObject(read) || !isObject(read["arguments"])) return undefined
    const { cap, streams, view } = read
    return {
      arguments: read["arguments"],
      cap: typeof cap === "string" && capProblemOf(cap) === undefined ? cap : "",
      streams: streams === true && operation.streams,
      view: view === "json" || (view === "chat" && isChat(operation)) ? view : "form",
      texts: {},
      text: undefined,
      scenario: ""
    }
  })
}
