import type { AnswerPart, Message, UserPart } from "./Conversation.ts"
import { parseObject } from "./exact.ts"
import { type Json, Malformed } from "./json.ts"
import type { Lost } from "./losses.ts"

// Anthropic and Bedrock say the same of turns.

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Json>
}

interface Writers {
  readonly user: (part: UserPart) => ReadonlyArray<Json>
  readonly assistant: (part: AnswerPart) => ReadonlyArray<Json>
}

/** Two turns of one side are one, and none is empty. */
export const writeTurns = (messages: ReadonlyArray<Message>, lost: Lost, write: Writers): ReadonlyArray<Turn> => {
  const turns: Array<Turn & { readonly content: Array<Json> }> = []
  for (const message of messages) {
    if (message.role === "system") {
      lost.add("systemLater")
      continue
    }
    const { role } = message
    const content = role === "user" ? message.parts.flatMap(write.user) : message.parts.flatMap(write.assistant)
    const last = turns.at(-1)
    if (last?.role !== role) turns.push({ role, content: [...content] })
    else for (const block of content) last.content.push(block)
  }
  return turns.filter(({ content }) => content.length > 0)
}

/** The input of a tool, which is an object. */
export const inputOf = (written: string): Json => {
  const input = parseObject(written === "" ? "{}" : written)
  if (input !== undefined) return input
  throw new Malformed("arguments", "the arguments of an earlier call as a JSON object")
}
