import { gather } from "../text/reply.ts"
import { type Generation, stop, toolId, usage } from "./Generation.ts"

/** The answer as one body, and its number of output tokens. */
export const message = (generation: Generation) => {
  const { call, parts } = generation.reply
  const { finish, text, tokens } = gather(parts())
  const block =
    call === undefined
      ? { type: "text", text }
      : { type: "tool_use", id: toolId(generation), name: call.name, input: call.input }
  const body = {
    id: `msg_${generation.id}`,
    type: "message",
    role: "assistant",
    model: generation.model,
    content: [block],
    ...stop(finish),
    usage: usage(generation.inputUsage, tokens)
  }
  return { body, output: tokens }
}
