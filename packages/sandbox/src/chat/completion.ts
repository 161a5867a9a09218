import { gather } from "../text/reply.ts"
import {
  annotations,
  callId,
  citations,
  completionId,
  created,
  type Generation,
  fingerprint,
  finishReason,
  usage
} from "./Generation.ts"
import { logprobs } from "./logprobs.ts"

/** The answer as one body, and its number of output tokens. */
export const completion = (generation: Generation) => {
  let output = 0
  const choices = generation.replies.map((reply, index) => {
    const { finish, text, tokens } = gather(reply.parts())
    output += tokens + reply.thought.tokens
    const called =
      reply.call === undefined
        ? { content: text }
        : {
            content: null,
            tool_calls: [
              {
                id: callId(generation, index),
                type: "function",
                function: { name: reply.call.name, arguments: text }
              }
            ]
          }
    return {
      index,
      message: { role: "assistant", ...called, refusal: null, annotations: annotations(generation, text) },
      logprobs: reply.call === undefined ? logprobs(text, generation.logprobs) : null,
      finish_reason: finishReason(finish)
    }
  })
  const body = {
    id: completionId(generation),
    object: "chat.completion",
    created,
    model: generation.model,
    choices,
    ...citations(generation),
    usage: usage(generation, output),
    service_tier: "default",
    system_fingerprint: fingerprint
  }
  return { body, output }
}
