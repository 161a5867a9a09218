import * as Predicate from "effect/Predicate"
import { type DecidingField, expecting, type FieldPath } from "./Amount.ts"
import { count, read } from "./exact.ts"
import type { DetailKind } from "./TokenKind.ts"

/** A tool that the upstream runs. */
export interface RequestedTool {
  readonly name: string
  readonly at: FieldPath
  /** The most uses. `undefined`: the request does not bound them. */
  readonly most?: number
  /** The expected uses, if there is something to expect. A model without a price for them is paid in another way. */
  readonly likely?: number
}

/** Another model that may run in the same call. */
export interface RequestedModel {
  readonly model: string
  readonly at: FieldPath
  /** Its own limit of the output. */
  readonly limit?: number | undefined
  /** The most runs, if there may be several. */
  readonly uses?: number | undefined
  readonly speed?: string | undefined
}

/** What a request asks for that changes the price, beside its model and its length. */
export interface PriceFactors {
  readonly tier?: { readonly name: string; readonly at: FieldPath }
  readonly speed?: { readonly name: string; readonly at: FieldPath }
  readonly region?: { readonly name: string; readonly at: FieldPath }
  readonly tools?: ReadonlyArray<RequestedTool>
  readonly models?: ReadonlyArray<RequestedModel>
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
export type Asks = "chat" | "responses" | "anthropic" | "gemini" | "audio"

const named = <K extends string>(key: K, request: unknown, ...names: ReadonlyArray<string>) => {
  for (const name of names) {
    const value = read(request, [name])
    if (typeof value === "string" && value !== "") return { [key]: { name: value.toLowerCase(), at: [name] } }
  }
  return {}
}

const none: ReadonlyArray<never> = []

const listIn = (request: unknown, name: string): ReadonlyArray<unknown> => {
  const value = read(request, [name])
  return Array.isArray(value) ? value : none
}

/** Versions are part of a tool's name: `web_search_20260318`, `web_search_2025_08_26`. */
const withoutVersion = (type: string): string => type.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, "")

const outputsOf = (list: ReadonlyArray<unknown>, at: FieldPath): Pick<PriceFactors, "outputs"> => {
  const words = new Set(list.map((word) => String(word).toLowerCase()))
  const outputs = [
    ...(words.has("audio") ? [{ detail: "audioOutput" as const, at }] : []),
    ...(words.has("image") ? [{ detail: "imageOutput" as const, at }] : [])
  ]
  return outputs.length === 0 ? {} : { outputs }
}

/** A tool that only makes something. What the others find is input of the model. */
const readsNothing = new Set(["image_generation"])

const toolsOf = (tools: ReadonlyArray<RequestedTool>): Pick<PriceFactors, "tools" | "reads"> => {
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

const chatTools = (request: unknown): ReadonlyArray<RequestedTool> => [
  ...(Predicate.isObject(read(request, ["web_search_options"]))
    ? // A model that searches does it once for each answer.
      [{ name: "web_search", at: ["web_search_options"], most: count(read(request, ["n"])) || 1 }]
    : []),
  ...listIn(request, "tools").flatMap((tool, i) => {
    const type = typeOf(tool) ?? "function"
    return callersOwn.chat.has(type) ? [] : [{ name: withoutVersion(type), at: ["tools", String(i)] }]
  })
]

const addedTo = ["plugins", "search_parameters"]

/** Searches and the like that upstreams add to the formats of others. */
const addedTools = (request: unknown): ReadonlyArray<RequestedTool> => {
  const names = addedTo.filter((name) => isUsed(read(request, [name])))
  return names.length === 0 ? none : names.map((name) => ({ name, at: [name] }))
}

const isUsed = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** Models that may answer instead. */
const modelsOf = (models: ReadonlyArray<RequestedModel>): Pick<PriceFactors, "models"> =>
  models.length === 0 ? {} : { models }

const otherModels = (request: unknown): ReadonlyArray<RequestedModel> =>
  listIn(request, "models").map((model, i) => ({
    model: typeof model === "string" ? model : "",
    at: ["models", String(i)]
  }))

const chat = (request: unknown): PriceFactors => ({
  ...named("tier", request, "service_tier"),
  ...toolsOf([...chatTools(request), ...addedTools(request)]),
  ...modelsOf(otherModels(request)),
  ...outputsOf(listIn(request, "modalities"), ["modalities"])
})

/** No caller nests namespaces like that, and the stack has an end. */
const deepest = 4

const responsesTools = (
  tools: ReadonlyArray<unknown>,
  path: FieldPath,
  most: number | undefined,
  depth = 0
): ReadonlyArray<RequestedTool> =>
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

const responses = (request: unknown): PriceFactors => {
  const most = count(read(request, ["max_tool_calls"]))
  const input = read(request, ["input"])
  const tools = [
    ...responsesTools(listIn(request, "tools"), ["tools"], most),
    ...(Array.isArray(input) ? input : [input]).flatMap((item, i) =>
      bringsTools.has(typeOf(item)) ? responsesTools(listIn(item, "tools"), ["input", String(i), "tools"], most) : []
    ),
    ...addedTools(request)
  ]
  return {
    ...named("tier", request, "service_tier"),
    ...toolsOf(tools),
    ...modelsOf(otherModels(request)),
    ...(read(request, ["prompt_cache_options", "ttl"]) === "12h"
      ? { keepsLong: { at: ["prompt_cache_options", "ttl"] } }
      : {}),
    ...(compactsResponse(request) ? { compacts: true } : {})
  }
}

type Tools = ReadonlyArray<readonly [tool: unknown, at: FieldPath]>

/** The tools of a request, and those that its conversation adds later. */
const toolsIn = (request: unknown): Tools => {
  const tools: Array<Tools[number]> = listIn(request, "tools").map((tool, i) => [tool, ["tools", String(i)]])
  listIn(request, "messages").forEach((message, i) =>
    listIn(message, "content").forEach((block, j) => {
      const type = typeOf(block)
      if (type !== "tool_addition" && type !== "compaction") return
      for (const change of type === "compaction" ? listIn(block, "tool_changes") : [block]) {
        const definition = read(change, ["tool", "definition"])
        if (definition !== undefined) tools.push([definition, ["messages", String(i), "content", String(j)]])
      }
    })
  )
  return tools
}

const anthropicTools = (request: unknown, tools: Tools): ReadonlyArray<RequestedTool> => [
  ...tools.flatMap(([tool, at]) => {
    const type = typeOf(tool)
    const name = type === undefined ? "custom" : withoutVersion(type)
    if (callersOwn.anthropic.has(name) || name === "advisor") return []
    const most = count(read(tool, ["max_uses"]))
    return [{ name: name === "mcp_toolset" ? "mcp" : name, at, ...(most === undefined ? {} : { most }) }]
  }),
  ...(isUsed(read(request, ["mcp_servers"])) ? [{ name: "mcp", at: ["mcp_servers"] }] : []),
  ...(isUsed(read(request, ["container", "skills"])) ? [{ name: "skills", at: ["container", "skills"] }] : []),
  ...addedTools(request)
]

const advisers = (tools: Tools): ReadonlyArray<RequestedModel> =>
  tools.flatMap(([tool, at]) => {
    const model = read(tool, ["model"])
    if (withoutVersion(typeOf(tool) ?? "") !== "advisor") return []
    return [
      { model: typeof model === "string" ? model : "", at: [...at, "model"], uses: count(read(tool, ["max_uses"])) }
    ]
  })

const fallbacks = (request: unknown): ReadonlyArray<RequestedModel> =>
  listIn(request, "fallbacks").flatMap((fallback, i) => {
    const model = typeof fallback === "string" ? fallback : read(fallback, ["model"])
    if (typeof model !== "string") return []
    const speed = read(fallback, ["speed"])
    return [
      {
        model,
        at: ["fallbacks", String(i), "model"],
        limit: count(read(fallback, ["max_tokens"])),
        speed: typeof speed === "string" ? speed.toLowerCase() : undefined
      }
    ]
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

const anthropic = (request: unknown): PriceFactors => {
  const tools = toolsIn(request)
  return {
    ...named("tier", request, "service_tier"),
    ...named("speed", request, "speed"),
    ...named("region", request, "inference_geo"),
    ...toolsOf(anthropicTools(request, tools)),
    ...modelsOf([...fallbacks(request), ...advisers(tools), ...otherModels(request)]),
    ...(keepsHour(request) ? { keepsLong: { at: ["cache_control", "ttl"] } } : {}),
    ...(compacts(request) ? { compacts: true } : {})
  }
}

/** Tools of Gemini that the caller runs. Each entry of `tools` names one by its field, in camel or snake case. */
const geminiOwn = new Set(["functionDeclarations", "computerUse"])

const camel = (name: string): string =>
  name.length > 200 ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const geminiTools = (request: unknown): ReadonlyArray<RequestedTool> =>
  listIn(request, "tools").flatMap((tool, i) =>
    Predicate.isObject(tool)
      ? Object.keys(tool).flatMap((field) => {
          const name = camel(field)
          return geminiOwn.has(name) ? [] : [{ name, at: ["tools", String(i), field] }]
        })
      : []
  )

const gemini = (request: unknown): PriceFactors => {
  const config = read(request, ["generationConfig"]) ?? read(request, ["generation_config"])
  const modalities = read(config, ["responseModalities"]) ?? read(config, ["response_modalities"])
  return {
    ...named("tier", request, "serviceTier", "service_tier"),
    ...toolsOf(geminiTools(request)),
    ...outputsOf(Array.isArray(modalities) ? modalities : [], ["generationConfig", "responseModalities"])
  }
}

/** Bytes of a second of sound: 128 kbit/s, and the least that a codec for speech needs. */
const secondBytes = { likely: 16_000, least: 500 }

/** A recording has as many seconds as its bytes allow. */
const audio = (request: unknown): PriceFactors => {
  const bytes = count(read(request, ["file", "bytes"])) ?? 0
  const seconds = (each: number) => Math.max(1, Math.ceil(bytes / each))
  const at = ["file"]
  const most = seconds(secondBytes.least)
  return { tools: [{ name: "audio_second", at, most, likely: seconds(secondBytes.likely) }] }
}

const readers: Readonly<Record<Asks, (request: unknown) => PriceFactors>> = {
  chat,
  responses,
  anthropic,
  gemini,
  audio
}

const isText = expecting("a text", Predicate.isString)
const isShort = (value: unknown): boolean => typeof value === "string" && value.length <= 200
/** Names are compared in lower case, which takes long for a long text. */
const isName = expecting("a text of up to 200 characters", isShort)
const isList = expecting("a list", Array.isArray)
const isNames = expecting(
  "a list of texts of up to 200 characters",
  (value) => Array.isArray(value) && value.every(isShort)
)
const isFields = expecting("an object", Predicate.isObject)

/** No caller names more models, and each is looked up. */
const isModels = expecting(
  "a list of up to 100 texts",
  (value) => Array.isArray(value) && value.length <= 100 && value.every(Predicate.isString)
)

/** What upstreams add to the formats of others. */
const added: ReadonlyArray<DecidingField> = [
  [["plugins"], isList],
  [["search_parameters"], isFields],
  [["models"], isModels]
]

/** The fields that decide, and what they must be: else the request is refused. `*` stands for each list item. */
export const requestedFields: Readonly<Record<Asks, ReadonlyArray<DecidingField>>> = {
  chat: [
    [["service_tier"], isName],
    [["web_search_options"], isFields],
    [["modalities"], isNames],
    [["tools"], isList],
    [["tools", "*", "type"], isText],
    ...added
  ],
  responses: [
    [["service_tier"], isName],
    [["tools"], isList],
    [["tools", "*", "type"], isText],
    [["tools", "*", "tools"], isList],
    [["tools", "*", "tools", "*", "type"], isText],
    [["input", "*", "type"], isText],
    [["input", "*", "tools"], isList],
    [["input", "*", "tools", "*", "type"], isText],
    ...added,
    [["max_tool_calls"]],
    [["context_management"], isList],
    [["context_management", "*", "type"], isText],
    [["prompt_cache_options"], isFields]
  ],
  anthropic: [
    [["service_tier"], isName],
    [["speed"], isName],
    [["inference_geo"], isName],
    [["tools"], isList],
    [["tools", "*", "type"], isText],
    [["tools", "*", "model"], isText],
    [["tools", "*", "max_uses"]],
    [["mcp_servers"], isList],
    [["container", "skills"], isList],
    [["container", "id"]],
    [["thread"], isFields],
    [["fallbacks"], isList],
    [["fallbacks", "*", "model"], isText],
    [["fallbacks", "*", "max_tokens"]],
    [["fallbacks", "*", "speed"], isName],
    ...added,
    [["compaction"]],
    [["context_management"], isFields],
    [["context_management", "edits"], isList],
    [["context_management", "edits", "*", "type"], isText]
  ],
  gemini: [
    [["serviceTier"], isName],
    [["service_tier"], isName],
    [["tools"], isList],
    [["cachedContent"], isText],
    [["cached_content"], isText],
    [["continuationToken"], isText],
    [["continuation_token"], isText],
    [["generationConfig", "responseModalities"], isNames],
    [["generation_config", "response_modalities"], isNames]
  ],
  audio: [[["file"], isFields]]
}

/** Of a request that has none of the fields. */
export const nothingAsked: PriceFactors = {}

const namesOf = (asks: Asks): ReadonlySet<string> => new Set(requestedFields[asks].map(([[name = ""]]) => name))

const names: Readonly<Record<"chat" | "gemini", ReadonlySet<string>>> = {
  chat: namesOf("chat"),
  gemini: namesOf("gemini")
}

/** Most requests have none of the fields. In the other protocols a conversation may ask too. */
const hasSome = (asks: Asks, request: object): boolean => {
  if (asks !== "chat" && asks !== "gemini") return true
  for (const name in request) if (names[asks].has(name)) return true
  return false
}

export const priceFactorsOf = (asks: Asks | undefined, request: unknown): PriceFactors =>
  asks === undefined || !Predicate.isObject(request) || !hasSome(asks, request) ? nothingAsked : readers[asks](request)
