import { type Event, list, object, text } from "../events/Event.ts"
import { parsed } from "./schema.ts"
import { type Finish, type Protocol, textOfOutput } from "./Protocol.ts"

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  tool_calls: "tools",
  length: "length",
  content_filter: "refusal"
}

const messageOf = (answer: Event): Event => object(list(answer["choices"])[0]?.["message"])

const withMessages = (input: Event, ...added: ReadonlyArray<Event>): Event => ({
  ...input,
  messages: [...list(input["messages"]), ...added]
})

export const openai: Protocol = {
  dialect: {
    keywords: new Set(
      "pattern format multipleOf minimum exclusiveMinimum maximum exclusiveMaximum minItems maxItems".split(" ")
    ),
    objects: "closed",
    required: "all"
  },
  read: (answer) => {
    const message = messageOf(answer)
    const refusal = text(message["refusal"]) ?? ""
    const reason = text(list(answer["choices"])[0]?.["finish_reason"]) ?? ""
    return {
      text: refusal || (text(message["content"]) ?? ""),
      requested: list(message["tool_calls"]).map(({ function: called, id }) => ({
        id: text(id),
        name: text(object(called)["name"]) ?? "",
        arguments: parsed(text(object(called)["arguments"]) || "{}")
      })),
      finish: refusal === "" ? (finishes[reason] ?? "other") : "refusal"
    }
  },
  withFormat: (input, { isStrict, name, schema }) => ({
    ...input,
    response_format: { type: "json_schema", json_schema: { name, strict: isStrict, schema } }
  }),
  withTools: (input, tools) => ({
    ...input,
    tools: [...list(input["tools"]), ...tools.map((tool) => ({ type: "function", function: tool }))]
  }),
  withReply: (input, answer, said) =>
    withMessages(input, messageOf(answer), ...(said === undefined ? [] : [{ role: "user", content: said }])),
  withResults: (input, answer, results) =>
    withMessages(
      input,
      messageOf(answer),
      ...results.map(({ isError, output, requested }) => ({
        role: "tool",
        tool_call_id: requested.id,
        content: textOfOutput(isError ? { error: output } : output)
      }))
    )
}
