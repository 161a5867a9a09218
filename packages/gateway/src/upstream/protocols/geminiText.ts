import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"

type Tag =
  | "model"
  | "queries"
  | "maps"
  | "text"
  | "arguments"
  | "index"
  | "finish"
  | "candidate"
  | "blocked"
  | "usage"
  | "error"

const text: Field<Tag> = { tag: "text" }
const part: Field<Tag> = {
  members: {
    text,
    functionCall: { members: { args: { tag: "arguments" } } },
    executableCode: { members: { code: text } }
  }
}

/** Finds what is metered in an answer, which is also the shape of an event. */
export const scan = fieldScanner<Tag>({
  members: {
    candidates: {
      items: {
        tag: "candidate",
        members: {
          index: { tag: "index" },
          finishReason: { tag: "finish" },
          groundingMetadata: {
            members: {
              webSearchQueries: { tag: "queries" },
              groundingChunks: { items: { members: { maps: { tag: "maps" } } } }
            }
          },
          content: { members: { parts: { items: part } } }
        }
      }
    },
    promptFeedback: { members: { blockReason: { tag: "blocked" } } },
    modelVersion: { tag: "model" },
    usageMetadata: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") length += stringBytes(bytes, start, end)
    else if (tag === "arguments") length += end - start
  })
  return length
}
