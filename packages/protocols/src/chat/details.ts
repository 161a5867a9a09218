import type { AnswerPart, Maker, ReasoningPart, Sealed } from "../Conversation.ts"
import { defined, type Json, listOr, textOr } from "../json.ts"

// Chat completions have no place for signatures. Many clients send `reasoning_details` back as they got them, in the form that
// began with OpenRouter: there they are, with the name of their maker.

const formats: Readonly<Record<Maker, string>> = {
  amazon: "amazon-bedrock-v1",
  anthropic: "anthropic-claude-v1",
  google: "google-gemini-v1",
  openai: "openai-responses-v1"
}

const makerOf = (format: unknown): Maker | undefined =>
  (Object.keys(formats) as ReadonlyArray<Maker>).find((maker) => formats[maker] === format)

/** One signature, of reasoning or of the call `id`. */
export const writeDetail = (index: number, reasoning: string, { by, data }: Sealed, id?: string): Json =>
  reasoning === ""
    ? defined({ type: "reasoning.encrypted", data, id, format: formats[by], index })
    : { type: "reasoning.text", text: reasoning, signature: data, format: formats[by], index }

export const writeDetails = (parts: ReadonlyArray<AnswerPart>): ReadonlyArray<Json> | undefined => {
  const found = parts.flatMap((part, i) => {
    if (part.type === "reasoning" && part.sealed !== undefined) return [writeDetail(i, part.text, part.sealed, part.id)]
    return part.type === "call" && part.sealed !== undefined ? [writeDetail(i, "", part.sealed, part.id)] : []
  })
  return found.length === 0 ? undefined : found
}

interface Thought<Part> {
  readonly reasoning: ReadonlyArray<ReasoningPart>
  readonly calls: ReadonlyArray<Part>
}

/** The reasoning of a turn, and its calls with their signatures. */
export const readDetails = <Part extends AnswerPart>(
  details: unknown,
  reasoning: string,
  calls: ReadonlyArray<Part>
): Thought<Part> => {
  const ids = new Set(calls.flatMap((part) => (part.type === "call" ? [part.id] : [])))
  const ofCalls = new Map<string, Sealed>()
  const thought: Array<ReasoningPart> = []
  for (const detail of listOr(details)) {
    const by = makerOf(detail["format"])
    const data = textOr(detail["signature"]) || textOr(detail["data"])
    const id = textOr(detail["id"])
    if (by === undefined || data === "") continue
    if (ids.has(id)) ofCalls.set(id, { by, data })
    else thought.push({ type: "reasoning", text: textOr(detail["text"]), sealed: { by, data }, id: id || undefined })
  }
  return {
    reasoning: thought.length === 0 && reasoning !== "" ? [{ type: "reasoning", text: reasoning }] : thought,
    calls: calls.map((part) => {
      const sealed = part.type === "call" ? ofCalls.get(part.id) : undefined
      return sealed === undefined ? part : { ...part, sealed }
    })
  }
}
