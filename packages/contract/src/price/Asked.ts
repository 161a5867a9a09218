import * as Predicate from "effect/Predicate"
import type { FieldPath } from "./Amount.ts"
import { type DecidingField, expecting } from "./DecidingField.ts"
import { count, read } from "./exact.ts"
import type { DetailKind } from "./TokenKind.ts"

/** A tool that the upstream runs. */
export interface AskedTool {
  readonly name: string
  readonly at: FieldPath
  /** The most uses. `undefined`: the request does not bound them. */
  readonly most?: number
}

/** Another model that may run in the same call. */
export interface AskedModel {
  readonly model: string
  readonly at: FieldPath
  /** Its own limit of the output. */
  readonly limit?: number | undefined
  /** The most runs, if there may be several. */
  readonly uses?: number | undefined
  readonly speed?: string | undefined
}

/** What a request asks for that changes the price, beside its model and its length. */
export interface Asked {
  readonly tier?: { readonly name: string; readonly at: FieldPath }
  readonly speed?: { readonly name: string; readonly at: FieldPath }
  readonly region?: { readonly name: string; readonly at: FieldPath }
  readonly tools?: ReadonlyArray<AskedTool>
  readonly models?: ReadonlyArray<AskedModel>
  /** What the answer is to be made of, if it has a rate of its own. */
  readonly outputs?: ReadonlyArray<{ readonly detail: DetailKind; readonly at: FieldPath }>
  /** Something is to stay in a cache for long. */
  readonly keepsLong?: { readonly at: FieldPath }
  /** The upstream may shorten the conversation first, which is a run of its own. */
  readonly compacts?: boolean
  /** By what the upstream may read more than the request holds. */
  readonly reads?: { readonly at: FieldPath }
}

/** How a protocol's requests ask for these. */
export type Asks = "chat" | "responses" | "anthropic" | "gemini"

const named = <K extends string>(key: K, request: unknown, ...names: ReadonlyArray<string>) => {
  for (const name of names) {
    const value = read(request, [name])
    if (typeof value === "string" && value !== "") return { [key]: { name: value.toLowerCase(), at: [name] } }
  }
  return {}
}

const listIn = (request: unknown, name: string): ReadonlyArray<unknown> => {
  const value = read(request, [name])
  return Array.isArray(value) ? value : []
}

/** Versions are part of a tool's name: `web_search_20260318`, `web_search_2025_08_26`. */
const withoutVersion = (type: string): string => type.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, "")

const outputsOf = (list: ReadonlyArray<unknown>, at: FieldPath): Pick<Asked, "outputs"> => {
  const words = new Set(list.map((word) => String(word).toLowerCase()))
  const outputs = [
    ...(words.has("audio") ? [{ detail: "audioOutput" as const, at }] : []),
    ...(words.has("image") ? [{ detail: "imageOutput" as const, at }] : [])
  ]
  return outputs.length === 0 ? {} : { outputs }
}

/** A tool that only makes something. What the others find is input of the model. */
const readsNothing = new Set(["image_generation"])

const toolsOf = (tools: ReadonlyArray<AskedTool>): Pick<Asked, "tools" | "reads"> => {
  if (tools.length === 0) return {}
  const reads = tools.find(({ name }) => !readsNothing.has(name))
  return reads === undefined ? { tools } : { tools, reads: { at: reads.at } }
}

/** Tools that the caller runs. All others run upstream. */
const callersOwn = {
  chat: new Set(["function", "custom"]),
  responses: new Set(["function", "custom", "local_shell", "apply_patch"]),
  anthropic: new Set(["custom", "bash", "text_editor", "computer", "memory", "str_replace_editor"])
}

const typeOf = (tool: unknown): string | undefined => {
  const type = read(tool, ["type"])
  return typeof type === "string" ? type : undefined
}

const chatTools = (request: unknown): ReadonlyArray<AskedTool> => [
  ...(Predicate.isObject(read(request, ["web_search_options"]))
    ? // A model that searches does it once for each answer.
      [{ name: "web_search", at: ["web_search_options"], most: count(read(request, ["n"])) || 1 }]
    : []),
  ...listIn(request, "tools").flatMap((tool, i) => {
    const type = typeOf(tool) ?? "function"
    return callersOwn.chat.has(type) ? [] : [{ name: withoutVersion(type), at: ["tools", String(i)] }]
  })
]

const chat = (request: unknown): Asked => ({
  ...named("tier", request, "service_tier"),
  ...toolsOf(chatTools(request)),
  ...outputsOf(listIn(request, "modalities"), ["modalities"])
})

/** No caller nests namespaces like that, and the stack has an end. */
const deepest = 20

const responsesTools = (
  tools: ReadonlyArray<unknown>,
  path: FieldPath,
  most: number | undefined,
  depth = 0
): ReadonlyArray<AskedTool> =>
  tools.flatMap((tool, i) => {
    const at = [...path, String(i)]
    const type = typeOf(tool) ?? "unknown"
    const inner = read(tool, ["tools"])
    if (type === "namespace" && Array.isArray(inner) && depth < deepest) {
      return responsesTools(inner, [...at, "tools"], most, depth + 1)
    }
    return callersOwn.responses.has(type)
      ? []
      : [{ name: withoutVersion(type), at, ...(most === undefined ? {} : { most }) }]
  })

/** Input items that bring tools of their own. */
const bringsTools = new Set<unknown>(["additional_tools", "tool_search_output"])

const compactsResponse = (request: unknown): boolean =>
  listIn(request, "context_management").some((edit) => (typeOf(edit) ?? "").startsWith("compact"))

const responses = (request: unknown): Asked => {
  const most = count(read(request, ["max_tool_calls"]))
  const input = read(request, ["input"])
  const tools = [
    ...responsesTools(listIn(request, "tools"), ["tools"], most),
    ...(Array.isArray(input) ? input : [input]).flatMap((item, i) =>
      bringsTools.has(typeOf(item)) ? responsesTools(listIn(item, "tools"), ["input", String(i), "tools"], most) : []
    )
  ]
  return {
    ...named("tier", request, "service_tier"),
    ...toolsOf(tools),
    ...(read(request, ["prompt_cache_options", "ttl"]) === "12h"
      ? { keepsLong: { at: ["prompt_cache_options", "ttl"] } }
      : {}),
    ...(compactsResponse(request) ? { compacts: true } : {})
  }
}

const anthropicTools = (request: unknown): ReadonlyArray<AskedTool> =>
  listIn(request, "tools").flatMap((tool, i) => {
    const type = typeOf(tool)
    const name = type === undefined ? "custom" : withoutVersion(type)
    if (callersOwn.anthropic.has(name) || name === "advisor") return []
    const most = count(read(tool, ["max_uses"]))
    return [{ name, at: ["tools", String(i)], ...(most === undefined ? {} : { most }) }]
  })

const advisers = (request: unknown): ReadonlyArray<AskedModel> =>
  listIn(request, "tools").flatMap((tool, i) => {
    const model = read(tool, ["model"])
    if (withoutVersion(typeOf(tool) ?? "") !== "advisor") return []
    const uses = count(read(tool, ["max_uses"]))
    const at = ["tools", String(i), "model"]
    return [{ model: typeof model === "string" ? model : "", at, ...(uses === undefined ? {} : { uses }) }]
  })

const fallbacks = (request: unknown): ReadonlyArray<AskedModel> =>
  listIn(request, "fallbacks").flatMap((fallback, i) => {
    const model = typeof fallback === "string" ? fallback : read(fallback, ["model"])
    const speed = read(fallback, ["speed"])
    return typeof model === "string"
      ? [
          {
            model,
            at: ["fallbacks", String(i), "model"],
            limit: count(read(fallback, ["max_tokens"])),
            speed: typeof speed === "string" ? speed.toLowerCase() : undefined
          }
        ]
      : []
  })

const isHour = (block: unknown): boolean => read(block, ["cache_control", "ttl"]) === "1h"

const hasHour = (block: unknown): boolean => isHour(block) || listIn(block, "content").some(isHour)

/** Whether a block of the conversation stays in the cache for an hour. Only blocks are looked at, not what is in them. */
const keepsHour = (request: unknown): boolean =>
  isHour(request) ||
  listIn(request, "tools").some(isHour) ||
  listIn(request, "system").some(isHour) ||
  listIn(request, "messages").some((message) => listIn(message, "content").some(hasHour))

const compacts = (request: unknown): boolean =>
  read(request, ["compaction"]) !== undefined ||
  listIn(read(request, ["context_management"]), "edits").some((edit) => (typeOf(edit) ?? "").startsWith("compact"))

const anthropic = (request: unknown): Asked => {
  const models = [...fallbacks(request), ...advisers(request)]
  return {
    ...named("tier", request, "service_tier"),
    ...named("speed", request, "speed"),
    ...named("region", request, "inference_geo"),
    ...toolsOf(anthropicTools(request)),
    ...(models.length === 0 ? {} : { models }),
    ...(keepsHour(request) ? { keepsLong: { at: ["cache_control", "ttl"] } } : {}),
    ...(compacts(request) ? { compacts: true } : {})
  }
}

/** Tools of Gemini that the caller runs. Each entry of `tools` names one by its field, in camel or snake case. */
const geminiOwn = new Set(["functionDeclarations", "computerUse"])

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const geminiTools = (request: unknown): ReadonlyArray<AskedTool> =>
  listIn(request, "tools").flatMap((tool, i) =>
    Predicate.isObject(tool)
      ? Object.keys(tool).flatMap((field) => {
          const name = camel(field)
          return geminiOwn.has(name) ? [] : [{ name, at: ["tools", String(i), field] }]
        })
      : []
  )

/** A cache that was made before holds a part of the prompt. */
const cached = (request: unknown): Pick<Asked, "reads"> => {
  const name = ["cachedContent", "cached_content"].find((field) => typeof read(request, [field]) === "string")
  return name === undefined ? {} : { reads: { at: [name] } }
}

const gemini = (request: unknown): Asked => {
  const config = read(request, ["generationConfig"]) ?? read(request, ["generation_config"])
  const modalities = read(config, ["responseModalities"]) ?? read(config, ["response_modalities"])
  return {
    ...named("tier", request, "serviceTier", "service_tier"),
    ...toolsOf(geminiTools(request)),
    ...cached(request),
    ...outputsOf(Array.isArray(modalities) ? modalities : [], ["generationConfig", "responseModalities"])
  }
}

const readers: Readonly<Record<Asks, (request: unknown) => Asked>> = { chat, responses, anthropic, gemini }

const isText = expecting("a text", Predicate.isString)
const isList = expecting("a list", Array.isArray)
const isTexts = expecting("a list of texts", (value) => Array.isArray(value) && value.every(Predicate.isString))
const isFields = expecting("an object", (value) => Predicate.isObject(value) && !Array.isArray(value))

/** The fields that these are read from, and what they must be: a request that an upstream may read otherwise is refused. */
export const askedFields: Readonly<Record<Asks, ReadonlyArray<DecidingField>>> = {
  chat: [
    [["service_tier"], isText],
    [["web_search_options"], isFields],
    [["modalities"], isTexts],
    [["tools"], isList]
  ],
  responses: [
    [["service_tier"], isText],
    [["tools"], isList],
    [["max_tool_calls"]],
    [["context_management"], isList],
    [["prompt_cache_options"], isFields]
  ],
  anthropic: [
    [["service_tier"], isText],
    [["speed"], isText],
    [["inference_geo"], isText],
    [["tools"], isList],
    [["fallbacks"], isList],
    [["compaction"]],
    [["context_management"], isFields]
  ],
  gemini: [
    [["serviceTier"], isText],
    [["service_tier"], isText],
    [["tools"], isList],
    [["cachedContent"], isText],
    [["cached_content"], isText],
    [["generationConfig", "responseModalities"], isTexts],
    [["generation_config", "response_modalities"], isTexts]
  ]
}

/** Of a request that has none of the fields. */
export const nothingAsked: Asked = {}

const namesOf = (asks: Asks): ReadonlyArray<string> => [...new Set(askedFields[asks].map(([[name = ""]]) => name))]

const names: Readonly<Record<"chat" | "gemini", ReadonlyArray<string>>> = {
  chat: namesOf("chat"),
  gemini: namesOf("gemini")
}

/** Most requests have none of the fields. In the other protocols a conversation may ask too. */
const hasSome = (asks: Asks, request: object): boolean => {
  if (asks !== "chat" && asks !== "gemini") return true
  for (const name of names[asks]) if (name in request) return true
  return false
}

export const askedOf = (asks: Asks | undefined, request: unknown): Asked =>
  asks === undefined || !Predicate.isObject(request) || !hasSome(asks, request) ? nothingAsked : readers[asks](request)
