import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import { talk } from "../chat/chat.ts"
import { id } from "../text/hash.ts"
import { topics } from "../text/prose.ts"

const kinds = ["A survey of", "Notes on", "The history of"] as const

/** A conversation whose answer names where it is from. */
export const research = talk({
  operation: deepResearch.id,
  sources: (message) =>
    kinds.map((kind) => ({
      title: `${kind} ${topics(message)[0]}`,
      url: `https://sources.invalid/${id(`${kind} ${message}`)}`
    }))
})
