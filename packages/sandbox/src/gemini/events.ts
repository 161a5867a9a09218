import { gather } from "../text/reply.ts"
import type { Piece } from "../Work.ts"
import { type Exchange, response } from "./Exchange.ts"

/** The answer as a stream of responses. Each tells the output until there, as Gemini does. */
export function* events(exchange: Exchange): Generator<Piece> {
  let output = 0
  const ends = []
  for (const [index, { call, parts }] of exchange.replies.entries()) {
    if (call !== undefined) {
      const { finish, tokens } = gather(parts())
      output += tokens
      const functionCall = { name: call.name, args: call.input }
      yield { data: JSON.stringify(response(exchange, [{ index, parts: [{ functionCall }] }], output)), tokens }
      ends.push({ index, parts: [{ text: "" }], finish })
      continue
    }
    const written = parts()
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      const { text, tokens } = next.value
      output += tokens
      yield { data: JSON.stringify(response(exchange, [{ index, parts: [{ text }] }], output)), tokens }
    }
    ends.push({ index, parts: [{ text: "" }], finish: next.value })
  }
  yield { data: JSON.stringify(response(exchange, ends, output)), tokens: 0, final: true }
}
