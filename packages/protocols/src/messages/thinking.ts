import type { Sealed } from "../Conversation.ts"
import type { Json } from "../json.ts"
import { redactedOf, writeSealed } from "../sealed.ts"

/** Thinking may come without its text, and is not redacted then. */
export const writeThinking = (text: string, sealed: Sealed | undefined): Json => {
  const signature = sealed === undefined ? "" : writeSealed(sealed, "anthropic")
  const hidden = text === "" && sealed !== undefined && sealed.by !== "anthropic" ? signature : undefined
  const data = sealed === undefined ? undefined : (redactedOf(sealed, "anthropic") ?? hidden)
  return data === undefined ? { type: "thinking", thinking: text, signature } : { type: "redacted_thinking", data }
}
