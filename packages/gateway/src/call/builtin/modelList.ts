import { messages } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseQuery } from "../../internal/query.ts"
import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { isAcceptedBy, type Model } from "../../exchange/Prices.ts"
import { embedContent } from "@tollgate/contract/operations/embedContent"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"

/** The name is not repeated: a path may contain a key. */
const notOffered = (list: string) =>
  refuse("model_not_found", `This model is not offered; GET ${list} lists those that are.`, { param: "model" })

/** One model of the list, in the same two formats. Anthropic's has only those that its own operation accepts. */
export const modelGet = (models: ReadonlyArray<Model>): Builtin => {
  const byId = new Map(models.map((model) => [model.id, model]))
  return ({ input: { path }, request }) => {
    const isAnthropic = request.headers["anthropic-version"] !== undefined
    const model = byId.get(String(path.id))
    return model === undefined || (isAnthropic && !isAcceptedBy(model, messages.id))
      ? Effect.fail(notOffered("/v1/models"))
      : Effect.succeed(json(JSON.stringify(isAnthropic ? anthropicModel(model) : openaiModel(model))))
  }
}

const openaiModel = ({ created = 0, id, ownedBy = "" }: Model) => ({
  id,
  object: "model",
  created,
  owned_by: ownedBy
})

const anthropicModel = ({ created = 0, displayName, id }: Model) => ({
  type: "model",
  id,
  display_name: displayName ?? id,
  created_at: new Date(created * 1_000).toISOString()
})

const openai = (models: ReadonlyArray<Model>): string =>
  JSON.stringify({ object: "list", data: models.map(openaiModel) })

const defaultSize = 20
const maxSize = 1_000

const pageOf = (
  models: ReadonlyArray<Model>,
  query: ReadonlyMap<string, string>
): Result.Result<{ readonly page: ReadonlyArray<Model>; readonly more: boolean }, Refused> => {
  const limit = query.get("limit") ?? String(defaultSize)
  const size = /^\d{1,4}$/.test(limit) ? Number(limit) : 0
  if (size < 1 || size > maxSize) {
    return Result.fail(invalid("limit", `expected 1 to ${maxSize}`))
  }
  for (const param of ["after_id", "before_id"] as const) {
    const id = query.get(param)
    if (id === undefined) continue
    const at = models.findIndex((model) => model.id === id)
    if (at === -1) return Result.fail(invalid(param, "there is no such model"))
    if (param === "before_id") {
      const from = Math.max(0, at - size)
      return Result.succeed({ page: models.slice(from, at), more: from > 0 })
    }
    return Result.succeed({ page: models.slice(at + 1, at + 1 + size), more: at + 1 + size < models.length })
  }
  return Result.succeed({ page: models.slice(0, size), more: size < models.length })
}

const anthropic = (models: ReadonlyArray<Model>, query: ReadonlyMap<string, string>): Result.Result<string, Refused> =>
  Result.map(
    pageOf(
      models.filter((model) => isAcceptedBy(model, messages.id)),
      query
    ),
    ({ more, page }) =>
      JSON.stringify({
        data: page.map(anthropicModel),
        has_more: more,
        first_id: page[0]?.id ?? null,
        last_id: page.at(-1)?.id ?? null
      })
  )

/** Both protocols list models at one path: `anthropic-version` selects Anthropic's shape, otherwise it is OpenAI's. */
export const modelList = (models: ReadonlyArray<Model>): Builtin => {
  const all = json(openai(models))
  return ({ query, request }) => {
    if (request.headers["anthropic-version"] === undefined) return Effect.succeed(all)
    return Effect.fromResult(Result.map(anthropic(models, parseQuery(query) ?? new Map()), (body) => json(body)))
  }
}

const geminiSize = 50
const maxGeminiSize = 1_000

const methods = [
  ["generateContent", generateContent.id],
  ["streamGenerateContent", streamGenerateContent.id],
  ["embedContent", embedContent.id]
] as const

const methodsOf = (model: Model) => methods.flatMap(([method, id]) => (isAcceptedBy(model, id) ? [method] : []))

const geminiModels = (models: ReadonlyArray<Model>) =>
  models.flatMap((model) => {
    const supportedGenerationMethods = methodsOf(model)
    const { displayName, id } = model
    return supportedGenerationMethods.length === 0
      ? []
      : [{ name: `models/${id}`, version: "1", displayName: displayName ?? id, supportedGenerationMethods }]
  })

export const modelGetGemini = (models: ReadonlyArray<Model>): Builtin => {
  const byName = new Map(geminiModels(models).map((model) => [model.name, JSON.stringify(model)]))
  return ({ input: { path } }) => {
    const model = byName.get(`models/${String(path.model)}`)
    return model === undefined ? Effect.fail(notOffered("/v1beta/models")) : Effect.succeed(json(model))
  }
}

/** The models that the Gemini operations accept. A page token is the number of models before the page. */
export const modelListGemini = (models: ReadonlyArray<Model>): Builtin => {
  const listed = geminiModels(models)
  return ({ input: { query } }) => {
    const { pageSize, pageToken = "" } = query as { readonly pageSize?: number; readonly pageToken?: string }
    if (pageSize !== undefined && pageSize < 0) {
      return Effect.fail(invalid("pageSize", "expected 0 or more"))
    }
    const from = pageToken === "" ? 0 : /^\d{1,9}$/.test(pageToken) ? Number(pageToken) : undefined
    if (from === undefined) {
      return Effect.fail(invalid("pageToken", "expected the nextPageToken of an earlier answer"))
    }
    const to = from + Math.min(pageSize || geminiSize, maxGeminiSize)
    const next = to < listed.length ? { nextPageToken: String(to) } : {}
    return Effect.succeed(json(JSON.stringify({ models: listed.slice(from, to), ...next })))
  }
}
