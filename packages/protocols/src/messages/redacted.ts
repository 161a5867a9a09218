import type { Sealed } from "../Conversation.ts"
import type { Json } from "../json.ts"
import { readSealed, writeSealed } from "../sealed.ts"

// Thinking may come without its text, and is not redacted then. The signature of redacted thinking begins with a mark wherever it
// travels: letters, a multiple of four, so that base64 stays base64.
const mark = "redacted"

export const readRedacted = (data: string): Sealed => {
  const sealed = readSealed(data, "anthropic")
  return sealed.by === "anthropic" ? { ...sealed, data: mark + data } : sealed
}

/** The data of redacted thinking, if it is. */
export const redactedOf = ({ by, data }: Sealed): string | undefined =>
  by === "anthropic" && data.startsWith(mark) ? data.slice(mark.length) : undefined

export const writeThinking = (text: string, sealed: Sealed | undefined): Json => {
  const signature = sealed === undefined ? "" : writeSealed(sealed, "anthropic")
  const hidden = text === "" && sealed !== undefined && sealed.by !== "anthropic" ? signature : undefined
  const data = sealed === undefined ? undefined : (redactedOf(sealed) ?? hidden)
  return data === undefined ? { type: "thinking", thinking: text, signature } : { type: "redacted_thinking", data }
}
