import type { WriterOptions } from "../Codec.ts"
import type { Answer, AnswerPart, Ending, Finish, Usage } from "../Conversation.ts"
import { type Json, objectOr, textOr, wordIn } from "../json.ts"
import { readUsage } from "../usage.ts"
import { writeSealOf, writeItem } from "./items.ts"
import { readItems } from "./request.ts"
import { responsesUsage } from "./usage.ts"

const finishes: Readonly<Record<string, Finish>> = { max_output_tokens: "length", content_filter: "filter" }

/** How a response ended, by its status and the reason for it. */
export const endingOf = (response: Json, hasCalls: boolean): Ending => {
  const status = textOr(response["status"])
  if (status === "completed") return { finish: hasCalls ? "calls" : "stop", reason: status }
  const reason = textOr(objectOr(response["incomplete_details"])["reason"]) || status
  return { finish: wordIn(finishes, reason) ?? "other", reason }
}

const reasons: Readonly<Partial<Record<Finish, string>>> = { length: "max_output_tokens", filter: "content_filter" }

/** The status and the reason for it. Nothing but the end of an answer is `completed`. */
export const writeEnding = ({ finish, reason }: Ending): Json & { readonly status: string } => {
  if (finish === "stop" || finish === "calls" || finish === "sequence") return { status: "completed" }
  if (finish === "other" && reason === "failed") {
    return { status: "failed", error: { code: "server_error", message: "The model failed." } }
  }
  return { status: "incomplete", incomplete_details: { reason: reasons[finish] ?? reason } }
}

export const writeUsage = ({ cacheRead = 0, cacheWrite = 0, input = 0, output = 0, reasoning = 0 }: Usage): Json => {
  const all = input + cacheRead + cacheWrite
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: all + output
  }
}

/** What the model says in the items of an answer. */
export const readOutput = (items: unknown): ReadonlyArray<AnswerPart> =>
  readItems("", items, "output").messages.flatMap(({ parts, role }) => (role === "assistant" ? parts : []))

export const readAnswer = (answer: Json): Answer => {
  const parts = readOutput(answer["output"])
  const hasCalls = parts.some(({ type }) => type === "call")
  return {
    id: textOr(answer["id"]),
    model: textOr(answer["model"]),
    parts,
    ...endingOf(answer, hasCalls),
    usage: readUsage(responsesUsage, answer["usage"])
  }
}

type Head = Pick<Answer, "id" | "model"> & Pick<WriterOptions, "created">

/** A response with every field that OpenAI's SDK declares. */
export const writeResponse = ({ created, id, model }: Head, output: ReadonlyArray<Json>, state: Json): Json => ({
  id,
  object: "response",
  created_at: created,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output,
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  access_programs: null,
  ...state
})

const writeOutput = (answer: string, parts: ReadonlyArray<AnswerPart>): ReadonlyArray<Json> => {
  const output: Array<Json> = []
  for (const part of parts) {
    if (part.type === "own" || ((part.type === "text" || part.type === "refusal") && part.text === "")) continue
    if (part.type === "call" && part.sealed !== undefined) {
      output.push(writeSealOf(part.sealed, answer, output.length))
    }
    const whole = part.type === "call" && part.arguments === "" ? { ...part, arguments: "{}" } : part
    output.push(writeItem(whole, answer, output.length))
  }
  return output
}

export const writeAnswer = (answer: Answer, { created }: WriterOptions): Json => {
  const { id, model, parts, usage } = answer
  const state = { ...writeEnding(answer), usage: writeUsage(usage) }
  return writeResponse({ id, model, created }, writeOutput(id, parts), state)
}
