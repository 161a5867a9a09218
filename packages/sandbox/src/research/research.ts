import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import { chatHandler } from "../chat/chat.ts"
import { id } from "../text/hash.ts"
import { topics } from "../text/prose.ts"

const kinds = ["A survey of", "Notes on", "The history of"] as const

/** A chat whose answer cites sources. */
export const research = chatHandler({
  operation: deepResearch.id,
  sources: (message) =>
    kinds.map((kind) => ({
      title: `${kind} ${topics(message)[0]}`,
      url: `https://sources.invalid/${id(`${kind} ${message}`)}`
    }))
})
