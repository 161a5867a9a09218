import { gather } from "../text/reply.ts"
import { type Generation, outputUsage, signature, stop, toolId, usage } from "./Generation.ts"

/** The answer as one body, and its number of output tokens. */
export const message = (generation: Generation) => {
  const { call, parts, thought } = generation.reply
  const { finish, text, tokens } = gather(parts())
  const block =
    call === undefined
      ? { type: "text", text }
      : { type: "tool_use", id: toolId(generation), name: call.name, input: call.input }
  const thinking =
    thought.tokens === 0
      ? []
      : [
          {
            type: "thinking",
            thinking: generation.hidesThinking ? "" : thought.text,
            signature: signature(generation)
          }
        ]
  const output = thought.tokens + tokens
  const body = {
    id: `msg_${generation.id}`,
    type: "message",
    role: "assistant",
    model: generation.model,
    content: [...thinking, block],
    ...stop(finish),
    usage: usage(generation.inputUsage, outputUsage(generation, output))
  }
  return { body, output }
}
