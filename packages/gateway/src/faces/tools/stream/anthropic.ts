import { exactJson } from "../answer.ts"
import {
  type Assembler,
  type Fields,
  fieldsIn,
  inOrder,
  isFields,
  partAt,
  type TextRoom,
  withFields
} from "./Assembler.ts"

interface Part {
  block: Fields
  /** The input of a tool, in pieces of JSON. */
  input: string
}

/** The field to which each kind of delta adds text. */
const texts: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature"
}

const blockOf = ({ block, input }: Part): Fields =>
  input === "" ? block : { ...block, input: exactJson(input)?.value ?? input }

/** Messages. */
export const anthropic = (room: TextRoom): Assembler => {
  let message: Fields | undefined
  const parts = new Map<number, Part>()

  const takeDelta = (part: Part, delta: Fields): void => {
    const { citation, partial_json, type } = delta
    const name = typeof type === "string" && Object.hasOwn(texts, type) ? texts[type] : undefined
    const piece = name === undefined ? undefined : delta[name]
    if (name !== undefined && typeof piece === "string") {
      const before = part.block[name]
      part.block = { ...part.block, [name]: (typeof before === "string" ? before : "") + room.fitting(piece) }
    } else if (typeof partial_json === "string") part.input += room.fitting(partial_json)
    else if (isFields(citation)) {
      const before = part.block["citations"]
      const citations = Array.isArray(before) ? (before as ReadonlyArray<unknown>) : []
      if (room.takeList([citation])) part.block = { ...part.block, citations: [...citations, citation] }
    }
  }

  return {
    take: ({ content_block, delta, index, message: started, type, usage }) => {
      switch (type) {
        case "message_start":
          message = fieldsIn(started)
          break
        case "content_block_start":
          partAt(parts, index, () => ({ block: fieldsIn(content_block), input: "" }))
          break
        case "content_block_delta": {
          const part = partAt(parts, index, () => ({ block: {}, input: "" }))
          if (part !== undefined) takeDelta(part, fieldsIn(delta))
          break
        }
        case "message_delta":
          message = {
            ...withFields(message ?? {}, fieldsIn(delta)),
            ...(isFields(usage) ? { usage: { ...fieldsIn(message?.["usage"]), ...usage } } : {})
          }
      }
    },
    answer: () => message && { ...message, content: inOrder(parts).map(blockOf) }
  }
}
