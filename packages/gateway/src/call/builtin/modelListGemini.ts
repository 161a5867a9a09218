import { generateContent } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import * as Effect from "effect/Effect"
import { refuse } from "@tollgate/contract/errors/Refused"
import { json, type Builtin } from "../../exchange/Reply.ts"
import { isAcceptedBy, type Model } from "../../exchange/Models.ts"

const defaultSize = 50
const maxSize = 1_000

const methods = [
  ["generateContent", generateContent.id],
  ["streamGenerateContent", streamGenerateContent.id]
] as const

const methodsOf = (model: Model) => methods.flatMap(([method, id]) => (isAcceptedBy(model, id) ? [method] : []))

/** The models that the Gemini operations accept. A page token is the number of models before the page. */
export const modelListGemini = (models: ReadonlyArray<Model>): Builtin => {
  const listed = models.flatMap((model) => {
    const supportedGenerationMethods = methodsOf(model)
    const { displayName, id } = model
    return supportedGenerationMethods.length === 0
      ? []
      : [{ name: `models/${id}`, version: "1", displayName: displayName ?? id, supportedGenerationMethods }]
  })
  return ({ input: { query } }) => {
    const { pageSize, pageToken = "" } = query as { readonly pageSize?: number; readonly pageToken?: string }
    if (pageSize !== undefined && pageSize < 0) {
      return Effect.fail(refuse("invalid_request", "pageSize: expected 0 or more", { param: "pageSize" }))
    }
    const from = pageToken === "" ? 0 : /^\d{1,9}$/.test(pageToken) ? Number(pageToken) : undefined
    if (from === undefined) {
      return Effect.fail(
        refuse("invalid_request", "pageToken: expected the nextPageToken of an earlier answer", { param: "pageToken" })
      )
    }
    const to = from + Math.min(pageSize || defaultSize, maxSize)
    const next = to < listed.length ? { nextPageToken: String(to) } : {}
    return Effect.succeed(json(JSON.stringify({ models: listed.slice(from, to), ...next })))
  }
}
