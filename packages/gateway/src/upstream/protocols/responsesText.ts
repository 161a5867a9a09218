import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"

type Tag = "text"

const text: Field<Tag> = { tag: "text" }
const parts: Field<Tag> = { items: { members: { text, refusal: text } } }

/** The generated text of a response: messages, calls of tools, and reasoning that is shown. */
export const output: Field<Tag> = {
  items: { members: { content: parts, summary: parts, arguments: text, input: text } }
}

const scan = fieldScanner<Tag>({ members: { output } })

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (_, start, end) => {
    length += stringBytes(bytes, start, end)
  })
  return length
}
