import type { AnswerPart, Message, UserPart } from "./Conversation.ts"
import { parseObject } from "./exact.ts"
import { type Json, Malformed } from "./json.ts"
import type { Lost } from "./losses.ts"

export type Turn =
  | { readonly role: "user"; readonly parts: Array<UserPart> }
  | { readonly role: "assistant"; readonly parts: Array<AnswerPart> }

/** The turns for a protocol in which two of one side are one. */
export const turnsOf = (messages: ReadonlyArray<Message>, lost: Lost): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === "system") lost.add("systemLater")
    else if (message.role === "user") {
      if (last?.role !== "user") turns.push({ role: "user", parts: [...message.parts] })
      else for (const part of message.parts) last.parts.push(part)
    } else if (last?.role !== "assistant") turns.push({ role: "assistant", parts: [...message.parts] })
    else for (const part of message.parts) last.parts.push(part)
  }
  return turns
}

/** The input of an earlier call, which is an object. */
export const inputOf = (written: string): Json => {
  const input = parseObject(written || "{}")
  if (input !== undefined) return input
  throw new Malformed("arguments", "the arguments of an earlier call as a JSON object")
}
