import type { Sealed } from "../Conversation.ts"
import { type Json, objectOr, textOr } from "../json.ts"

// Reasoning has a text and its signature, or neither: it is redacted. What is signed begins with a mark where it is that: letters,
// a multiple of four, so that base64 stays base64.
const mark = "redacted"

/** What a block of an answer is signed with, or a piece of it. `undefined`: it is not. */
export const readSeal = (content: Json): Sealed | undefined => {
  const signature = textOr(content["signature"])
  const data = textOr(content["redactedContent"])
  if (data !== "") return { by: "amazon", data: mark + data }
  return signature === "" ? undefined : { by: "amazon", data: signature }
}

export const readReasoning = (content: Json): { readonly text: string; readonly sealed: Sealed | undefined } => {
  const shown = objectOr(content["reasoningText"])
  return { text: textOr(shown["text"]), sealed: readSeal({ ...content, ...shown }) }
}

export const writeReasoning = (text: string, { data }: Sealed): Json => ({
  reasoningContent: data.startsWith(mark)
    ? { redactedContent: data.slice(mark.length) }
    : { reasoningText: { text, signature: data } }
})
