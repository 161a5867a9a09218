import { gather } from "../text/reply.ts"
import type { StreamEvent } from "../BilledAnswer.ts"
import { type Generation, response } from "./Generation.ts"

/** The answer as a stream of responses. Like Gemini's, each reports the output tokens so far. */
export function* events(generation: Generation): Generator<StreamEvent> {
  let output = 0
  const ends = []
  for (const [index, { call, parts }] of generation.replies.entries()) {
    if (call !== undefined) {
      const { finish, tokens } = gather(parts())
      output += tokens
      const functionCall = { name: call.name, args: call.input }
      yield { data: JSON.stringify(response(generation, [{ index, parts: [{ functionCall }] }], output)), tokens }
      ends.push({ index, parts: [{ text: "" }], finish })
      continue
    }
    const written = parts()
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      const { text, tokens } = next.value
      output += tokens
      yield { data: JSON.stringify(response(generation, [{ index, parts: [{ text }] }], output)), tokens }
    }
    ends.push({ index, parts: [{ text: "" }], finish: next.value })
  }
  yield { data: JSON.stringify(response(generation, ends, output)), tokens: 0, final: true }
}
