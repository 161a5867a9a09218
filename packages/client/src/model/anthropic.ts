import { type Event, list, object, text } from "../events/Event.ts"
import { type Finish, type Protocol, textOfOutput } from "./Protocol.ts"

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tools",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  refusal: "refusal"
}

const withMessages = (input: Event, ...added: ReadonlyArray<Event>): Event => ({
  ...input,
  messages: [...list(input["messages"]), ...added]
})

const assistant = ({ content }: Event): Event => ({ role: "assistant", content })

export const anthropic: Protocol = {
  dialect: { keywords: new Set(["format"]), objects: "closed", required: "as given" },
  read: ({ content, stop_reason }) => ({
    text: list(content)
      .map((block) => (block["type"] === "text" ? (text(block["text"]) ?? "") : ""))
      .join(""),
    requested: list(content).flatMap(({ id, input, name, type }) =>
      type === "tool_use" ? [{ id: text(id), name: text(name) ?? "", arguments: input ?? {} }] : []
    ),
    finish: finishes[text(stop_reason) ?? ""] ?? "other"
  }),
  withFormat: (input, { schema }) => ({
    ...input,
    output_config: { ...object(input["output_config"]), format: { type: "json_schema", schema } }
  }),
  withTools: (input, tools) => ({
    ...input,
    tools: [...list(input["tools"]), ...tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }))]
  }),
  withReply: (input, answer, said) =>
    withMessages(input, assistant(answer), ...(said === undefined ? [] : [{ role: "user", content: said }])),
  withResults: (input, answer, results) =>
    withMessages(input, assistant(answer), {
      role: "user",
      content: results.map(({ isError, output, requested }) => ({
        type: "tool_result",
        tool_use_id: requested.id,
        content: textOfOutput(output),
        ...(isError ? { is_error: true } : {})
      }))
    })
}
