import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { isChat } from "../conversation.ts"
import { isObject } from "../json.ts"
import { capProblemOf, type Draft } from "./Draft.ts"

/** What a link carries of a call. Nothing of who made it. */
type Shared = Pick<Draft, "arguments" | "cap" | "streams" | "view">

/** Longer addresses are cut by programs that people send them with. */
const longest = 8_000
const mark = "#call="

const encode = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const decode = (text: string): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))
  )

/** The part of an address that holds the call: browsers do not send it. `undefined`: it would be too long. */
export const fragmentOf = ({ arguments: given, cap, streams, view }: Draft): string | undefined => {
  const text = JSON.stringify({ arguments: given, cap, streams, view } satisfies Shared)
  if (text.length > longest) return undefined
  const fragment = `${mark}${encode(text)}`
  return fragment.length > longest ? undefined : fragment
}

/** What a link asks for, or nothing if it is not one of ours. It only fills in the form: a person still has to send it. */
export const sharedIn = (fragment: string, operation: OfferedOperation): Partial<Draft> | undefined => {
  if (!fragment.startsWith(mark) || fragment.length > longest) return undefined
  try {
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
  } catch {
    return undefined
  }
}
