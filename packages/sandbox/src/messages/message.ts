import { gather } from "../text/reply.ts"
import { type Exchange, stop, toolId, usage } from "./Exchange.ts"

/** The whole answer at once, and how much output it has. */
export const message = (exchange: Exchange) => {
  const { call, parts } = exchange.reply
  const { finish, text, tokens } = gather(parts())
  const block =
    call === undefined
      ? { type: "text", text }
      : { type: "tool_use", id: toolId(exchange), name: call.name, input: call.input }
  const body = {
    id: `msg_${exchange.id}`,
    type: "message",
    role: "assistant",
    model: exchange.model,
    content: [block],
    ...stop(finish),
    usage: usage(exchange.reading, tokens)
  }
  return { body, output: tokens }
}
