import { type Event, list, object, text } from "../events/Event.ts"
import { openai } from "./openai.ts"
import { type Finish, type Protocol, textOfOutput } from "./Protocol.ts"
import { parsed } from "./schema.ts"

const finishOf = ({ incomplete_details, output }: Event, isRefused: boolean): Finish => {
  const reason = text(object(incomplete_details)["reason"])
  if (isRefused || reason === "content_filter") return "refusal"
  if (reason !== undefined) return reason === "max_output_tokens" ? "length" : "other"
  return list(output).some(({ type }) => type === "function_call") ? "tools" : "stop"
}

const itemsOf = ({ input }: Event): ReadonlyArray<Event> =>
  typeof input === "string" ? [{ role: "user", content: input }] : list(input)

/** Reasoning that is neither stored nor encrypted cannot be sent back. */
const isKept = ({ encrypted_content, type }: Event): boolean =>
  type !== "reasoning" || typeof encrypted_content === "string"

const withItems = (input: Event, { output }: Event, ...added: ReadonlyArray<Event>): Event => ({
  ...input,
  input: [...itemsOf(input), ...list(output).filter(isKept), ...added]
})

/** OpenAI's Responses. */
export const responses: Protocol = {
  dialect: openai.dialect,
  read: (answer) => {
    const parts = list(answer["output"]).flatMap(({ content }) => list(content))
    const refusal = parts.map((part) => (part["type"] === "refusal" ? (text(part["refusal"]) ?? "") : "")).join("")
    const said = parts.map((part) => (part["type"] === "output_text" ? (text(part["text"]) ?? "") : "")).join("")
    return {
      text: refusal || said,
      requested: list(answer["output"]).flatMap((item) =>
        item["type"] === "function_call"
          ? [
              {
                id: text(item["call_id"]),
                name: text(item["name"]) ?? "",
                arguments: parsed(text(item["arguments"]) || "{}")
              }
            ]
          : []
      ),
      finish: finishOf(answer, refusal !== "")
    }
  },
  withFormat: (input, { isStrict, name, schema }) => ({
    ...input,
    text: { ...object(input["text"]), format: { type: "json_schema", name, strict: isStrict, schema } }
  }),
  withTools: (input, tools) => ({
    ...input,
    // Strict is the default here, and not every schema is.
    tools: [...list(input["tools"]), ...tools.map((tool) => ({ type: "function", ...tool, strict: false }))]
  }),
  withReply: (input, answer, said) =>
    withItems(input, answer, ...(said === undefined ? [] : [{ role: "user", content: said }])),
  withResults: (input, answer, results) =>
    withItems(
      input,
      answer,
      ...results.map(({ isError, output, requested }) => ({
        type: "function_call_output",
        call_id: requested.id,
        output: textOfOutput(isError ? { error: output } : output)
      }))
    )
}
