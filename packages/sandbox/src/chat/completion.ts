import { gather } from "../text/reply.ts"
import {
  annotations,
  callId,
  citations,
  completionId,
  created,
  type Exchange,
  fingerprint,
  finishReason,
  usage
} from "./Exchange.ts"

/** The whole answer at once, and how much output it has. */
export const completion = (exchange: Exchange) => {
  let output = 0
  const choices = exchange.replies.map((reply, index) => {
    const { finish, text, tokens } = gather(reply.parts())
    output += tokens
    const called =
      reply.call === undefined
        ? { content: text }
        : {
            content: null,
            tool_calls: [
              {
                id: callId(exchange, index),
                type: "function",
                function: { name: reply.call.name, arguments: text }
              }
            ]
          }
    return {
      index,
      message: { role: "assistant", ...called, refusal: null, annotations: annotations(exchange, text) },
      logprobs: null,
      finish_reason: finishReason(finish)
    }
  })
  const body = {
    id: completionId(exchange),
    object: "chat.completion",
    created,
    model: exchange.model,
    choices,
    ...citations(exchange),
    usage: usage(exchange.reading, output),
    service_tier: "default",
    system_fingerprint: fingerprint
  }
  return { body, output }
}
