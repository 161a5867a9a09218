import type { AnswerPart, OwnPart, ReasoningPart, Sealed } from "../Conversation.ts"
import { defined, type Json, listOr, textOr } from "../json.ts"
import { readSealed, writeCallSeal, writeSealed } from "../sealed.ts"

const textsIn = (parts: unknown, between: string): string =>
  listOr(parts)
    .map((part) => textOr(part["text"]))
    .filter((text) => text !== "")
    .join(between)

/** Between the texts of a summary. */
export const betweenSummaries = "\n\n"

/** The text is that of the summary, or else the reasoning itself. */
export const readReasoning = (item: Json): ReasoningPart => {
  const data = textOr(item["encrypted_content"])
  return {
    type: "reasoning",
    text: textsIn(item["summary"], betweenSummaries) || textsIn(item["content"], ""),
    sealed: data === "" ? undefined : readSealed(data, "openai"),
    id: textOr(item["id"]) || undefined
  }
}

export const writeReasoning = ({ id, sealed, text }: Omit<ReasoningPart, "type">): Json =>
  defined({
    type: "reasoning",
    id,
    summary: text === "" ? [] : [writeInner("reasoning", text)],
    encrypted_content: sealed && writeSealed(sealed, "openai")
  })

/** Stands before a call that its model signed. */
export const writeSealOf = (call: Sealed, answer: string, index: number): Json => ({
  type: "reasoning",
  id: `rs_${answer}_${index}`,
  summary: [],
  encrypted_content: writeCallSeal(call, "openai")
})

type Said = Exclude<AnswerPart, OwnPart>

/** What is inside of an item. */
export const writeInner = (part: Said["type"], text: string): Json => {
  if (part === "text") return { type: "output_text", text, annotations: [], logprobs: [] }
  return part === "refusal" ? { type: "refusal", refusal: text } : { type: "summary_text", text }
}

/** An item of an answer. Its id says where it stands in which answer. */
export const writeItem = (part: Said, answer: string, index: number): Json => {
  const place = `${answer}_${index}`
  switch (part.type) {
    case "text":
    case "refusal": {
      const content = part.text === "" ? [] : [writeInner(part.type, part.text)]
      return { type: "message", id: `msg_${place}`, status: "completed", role: "assistant", content }
    }
    case "reasoning":
      return writeReasoning({ ...part, id: part.id ?? `rs_${place}` })
    case "call": {
      const { arguments: written, id, name } = part
      return { type: "function_call", id: `fc_${place}`, call_id: id, name, arguments: written, status: "completed" }
    }
  }
}
