import { countTokensGemini as counted } from "@tollgate/contract/operations/countTokensGemini"
import { generateContent as whole } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent as streamed } from "@tollgate/contract/operations/streamGenerateContent"
import { codecs, parse } from "@tollgate/protocols"
import { answerer, counter, type Dialect, type Place, reportOf } from "../model/answerer.ts"
import { type Fields, fieldsOf, listOf, thinkingTokens, wrong } from "../model/request.ts"
import { effort } from "../text/tokens.ts"
import { array, sse } from "../wire/body.ts"
import { gemini } from "../wire/refusal.ts"

const codec = codecs.generateContent

/** The first texts of a function's result, which can be any JSON. */
const textsIn = (result: string): string => {
  const texts: Array<string> = []
  const rest: Array<unknown> = [/^[[{]/.test(result) ? parse(result) : result]
  while (rest.length > 0 && texts.length < 20) {
    const next = rest.pop()
    if (typeof next === "object" && next !== null) rest.push(...Object.values(next).slice(0, 20).toReversed())
    else if (next !== null && next !== undefined) texts.push(String(next))
  }
  return texts.join(" ")
}

/** The sandbox gives calls no ids. */
const partOf = (part: Fields): Fields => {
  if (!("functionCall" in part)) return part
  const { args, name } = fieldsOf(part["functionCall"])
  return { functionCall: { name, args } }
}

/** Like Gemini's, each event of a stream reports the output tokens so far. */
const written = (answer: Fields, { generation, index, usage }: Place): Fields => {
  const { usageMetadata: _, ...rest } = answer
  const used = reportOf(codec, "usageMetadata", usage)
  const details = [{ modality: "TEXT", tokenCount: used["promptTokenCount"] }]
  return {
    ...rest,
    candidates: listOf(answer["candidates"]).map((candidate) => {
      const parts = listOf(fieldsOf(candidate["content"])["parts"]).map(partOf)
      return { ...candidate, content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" }, index }
    }),
    ...(generation.hidesUsage ? {} : { usageMetadata: { ...used, promptTokensDetails: details } })
  }
}

const dialectOf = (operation: string, stream: boolean): Dialect => ({
  codec,
  operation,
  failure: {
    data: JSON.stringify(gemini({ status: 503, message: "The model is overloaded. Please try again later." })),
    tokens: 0
  },
  ids: ["", ""],
  bodyOf: (value, { parameters }) => ({ ...fieldsOf(value), model: parameters["model"] ?? "", stream }),
  refuse: ({ reasoning: { effort } = {} }) =>
    effort === undefined || ["minimal", "low", "medium", "high"].includes(effort)
      ? undefined
      : wrong("thinkingLevel", "unknown"),
  choices: (body) => {
    const config = fieldsOf(body["generationConfig"] ?? body["generation_config"])
    return config["candidateCount"] ?? config["candidate_count"]
  },
  thinking: (conversation) => thinkingTokens(conversation, effort.high),
  hasEmptyThought: false,
  result: textsIn,
  several: "candidates",
  framing: ({ url }) => ((url.split("?", 2)[1] ?? "").split("&").includes("alt=sse") ? sse : array),
  whole: written,
  event: written
})

export const generateContent = answerer(dialectOf(whole.id, false))

/** Answers with a stream: server-sent events with `alt=sse`, otherwise one JSON array. */
export const streamGenerateContent = answerer(dialectOf(streamed.id, true))

const counting: Dialect = {
  ...dialectOf(counted.id, false),
  bodyOf: (value, { parameters }) => {
    const { generateContentRequest, generate_content_request = generateContentRequest ?? value } = fieldsOf(value)
    return { ...fieldsOf(generate_content_request), model: parameters["model"] ?? "" }
  }
}

/** Counts what `generateContent` would report as input. Free. */
export const countContent = counter(counting, counted.id, (totalTokens) => ({ totalTokens }))
