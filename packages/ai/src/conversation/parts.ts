import type { Json, Proof, TextPart } from "./Conversation.ts"
import { object } from "./json.ts"

export const textPart = (text: string): TextPart => ({ type: "text", text })

/** The proof that an earlier answer's metadata kept. */
export const proofOf = (options: Json | undefined): Proof | undefined => {
  const { redacted, signature } = object(options?.["tollgate"])
  if (typeof redacted === "string") return { redacted }
  return typeof signature === "string" ? { signature } : undefined
}
