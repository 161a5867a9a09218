import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll, effort, perMedia, perMessage } from "../text/tokens.ts"
import { Count, NonEmpty, Sequences, upTo } from "../wire/body.ts"

const Part = Schema.Union([
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({
    functionCall: Schema.Struct({ name: Schema.String, args: Maybe(Schema.Unknown) })
  }),
  Schema.Struct({
    functionResponse: Schema.Struct({ name: Schema.String, response: Maybe(Schema.Unknown) })
  }),
  Schema.Struct({ inlineData: Schema.Struct({}) }),
  Schema.Struct({ fileData: Schema.Struct({}) })
])
type Part = typeof Part.Type

const Declaration = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Maybe(Schema.String),
  parameters: Maybe(Schema.Unknown),
  parametersJsonSchema: Maybe(Schema.Unknown)
})
type Declaration = typeof Declaration.Type

/** The fields of a body in the Gemini format that the sandbox reads. */
export const GeminiBody = Schema.Struct({
  contents: NonEmpty(
    Schema.Struct({
      role: Maybe(Schema.Literals(["user", "model", "function"])),
      parts: NonEmpty(Part)
    })
  ),
  systemInstruction: Maybe(Schema.Struct({ parts: Schema.Array(Part) })),
  tools: Maybe(Schema.Array(Schema.Struct({ functionDeclarations: Maybe(Schema.Array(Declaration)) }))),
  toolConfig: Maybe(
    Schema.Struct({
      functionCallingConfig: Maybe(
        Schema.Struct({
          mode: Maybe(Schema.Literals(["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"])),
          allowedFunctionNames: Maybe(Schema.Array(Schema.String))
        })
      )
    })
  ),
  generationConfig: Maybe(
    Schema.Struct({
      maxOutputTokens: Maybe(Count),
      candidateCount: Maybe(upTo(8)),
      stopSequences: Maybe(Sequences),
      thinkingConfig: Maybe(
        Schema.Struct({
          includeThoughts: Maybe(Schema.Boolean),
          thinkingBudget: Maybe(Schema.Int),
          thinkingLevel: Maybe(Schema.String)
        })
      ),
      responseMimeType: Maybe(Schema.String),
      responseSchema: Maybe(Schema.Unknown),
      responseJsonSchema: Maybe(Schema.Unknown)
    })
  )
})
export type GeminiBody = typeof GeminiBody.Type

const tokensOf = (part: Part): number => {
  if ("text" in part) return count(part.text)
  if ("functionCall" in part) return count(part.functionCall.name) + countAll(part.functionCall.args)
  if ("functionResponse" in part) return count(part.functionResponse.name) + countAll(part.functionResponse.response)
  return perMedia
}

const sum = (parts: ReadonlyArray<Part>): number => parts.reduce((total, part) => total + tokensOf(part), 0)

const declarations = ({ tools }: GeminiBody): ReadonlyArray<Declaration> =>
  (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])

export const promptTokens = (body: GeminiBody): number =>
  body.contents.reduce(
    (total, { parts }) => total + perMessage + sum(parts),
    sum(body.systemInstruction?.parts ?? []) + countAll(declarations(body))
  )

const textOf = (parts: ReadonlyArray<Part> = []): string =>
  parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n")

const chosenTool = (body: GeminiBody): ModelRequest["tool"] => {
  const { allowedFunctionNames: allowed, mode } = body.toolConfig?.functionCallingConfig ?? {}
  if (mode === "NONE") return undefined
  const tool = declarations(body).find(({ name }) => (allowed ?? []).length === 0 || allowed?.includes(name))
  return tool === undefined
    ? undefined
    : { name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters ?? undefined }
}

/** The first texts of a function's result, which can be any JSON. */
const textsIn = (value: unknown): string => {
  const texts: Array<string> = []
  const rest: Array<unknown> = [value]
  while (rest.length > 0 && texts.length < 20) {
    const next = rest.pop()
    if (typeof next === "object" && next !== null) rest.push(...Object.values(next).slice(0, 20).toReversed())
    else if (next !== null && next !== undefined) texts.push(String(next))
  }
  return texts.join(" ")
}

const results = (parts: ReadonlyArray<Part> = []): ReadonlyArray<unknown> =>
  parts.flatMap((part) => ("functionResponse" in part ? [part.functionResponse.response] : []))

const levels: Readonly<Record<string, number>> = {
  minimal: effort.minimal,
  low: effort.low,
  medium: effort.medium,
  high: effort.high
}

/** A budget of -1 leaves it to the model. */
const thinkingTokens = ({ generationConfig }: GeminiBody): number => {
  const { thinkingConfig } = generationConfig ?? {}
  if (thinkingConfig === null || thinkingConfig === undefined) return 0
  const level = levels[thinkingConfig.thinkingLevel?.toLowerCase() ?? "high"] ?? effort.high
  const budget = thinkingConfig.thinkingBudget ?? -1
  return budget < 0 ? level : Math.min(budget, level)
}

export const modelRequest = (body: GeminiBody): ModelRequest => {
  const last = body.contents.at(-1)
  const answered = results(last?.parts)
  const user = body.contents.findLast(({ parts, role }) => (role ?? "user") === "user" && textOf(parts) !== "")
  const { maxOutputTokens, responseJsonSchema, responseMimeType, responseSchema, stopSequences } =
    body.generationConfig ?? {}
  return {
    message: textOf(user?.parts),
    result: answered.length === 0 ? undefined : textsIn(answered),
    tool: (last?.role ?? "user") === "user" && answered.length === 0 ? chosenTool(body) : undefined,
    json:
      responseMimeType === "application/json"
        ? { schema: responseJsonSchema ?? responseSchema ?? undefined }
        : undefined,
    thinking: thinkingTokens(body),
    limit: maxOutputTokens ?? undefined,
    stop: stopSequences ?? []
  }
}
