import { gather } from "../text/reply.ts"
import type { StreamEvent } from "../BilledAnswer.ts"
import { type Generation, response, thoughtParts } from "./Generation.ts"

/** The answer as a stream of responses. Like Gemini's, each reports the output tokens so far. */
export function* events(generation: Generation): Generator<StreamEvent> {
  let output = 0
  let thoughts = 0
  let hidden = 0
  const ends = []
  const event = (candidates: Parameters<typeof response>[1], own: number): StreamEvent => {
    const tokens = own + hidden
    hidden = 0
    output += tokens
    return { data: JSON.stringify(response(generation, candidates, { output, thoughts })), tokens }
  }
  for (const [index, { call, parts, thought }] of generation.replies.entries()) {
    thoughts += thought.tokens
    if (generation.includesThoughts) {
      for (const { text, tokens } of thought.parts)
        yield event([{ index, parts: thoughtParts(generation, text) }], tokens)
    } else hidden += thought.tokens
    if (call !== undefined) {
      const { finish, tokens } = gather(parts())
      const functionCall = { name: call.name, args: call.input }
      yield event([{ index, parts: [{ functionCall }] }], tokens)
      ends.push({ index, parts: [{ text: "" }], finish })
      continue
    }
    const written = parts()
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      const { text, tokens } = next.value
      yield event([{ index, parts: [{ text }] }], tokens)
    }
    ends.push({ index, parts: [{ text: "" }], finish: next.value })
  }
  yield { ...event(ends, 0), final: true }
}
