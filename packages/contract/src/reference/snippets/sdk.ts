import * as Predicate from "effect/Predicate"
import { chatCompletions } from "../../operations/chatCompletions.ts"
import { countTokens } from "../../operations/countTokens.ts"
import { embeddings } from "../../operations/embeddings.ts"
import { generateContent } from "../../operations/generateContent.ts"
import { imageGenerate } from "../../operations/imageGenerate.ts"
import { messages } from "../../operations/messages.ts"
import { modelGet } from "../../operations/modelGet.ts"
import { modelList } from "../../operations/modelList.ts"
import { modelListGemini } from "../../operations/modelListGemini.ts"
import { rerank } from "../../operations/rerank.ts"
import { rerankV2 } from "../../operations/rerankV2.ts"
import { responses } from "../../operations/responses.ts"
import { streamGenerateContent } from "../../operations/streamGenerateContent.ts"
import { withoutStream } from "./input.ts"
import { literal } from "./literal.ts"
import { optionHeaders, type Call, type Snippet } from "./Snippet.ts"
import { sdks } from "./sdks.ts"

type Write = (call: Call) => { readonly sdk: keyof typeof sdks; readonly lines: ReadonlyArray<string> } | undefined

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) ? (value as Readonly<Record<string, unknown>>) : {}

const isStream = ({ example }: Call): boolean => example.contentType === "text/event-stream"

/** The headers of the call are the second argument, for the SDKs that take them there. */
const assigned = (before: string, value: unknown, headers?: object): string => {
  const second = headers === undefined ? "" : `, ${literal({ headers })}`
  return `${before}(${literal(value, "", before.length + second.length + 2)}${second})`
}

const chat: Write = (call) => {
  const made = (name: string) =>
    assigned(`const ${name} = await openai.chat.completions.create`, call.example.body, optionHeaders(call))
  return {
    sdk: "openai",
    lines: isStream(call)
      ? [
          made("events"),
          'for await (const event of events) process.stdout.write(event.choices[0]?.delta.content ?? "")'
        ]
      : [made("answer"), "console.log(answer.choices[0]?.message.content)"]
  }
}

const response: Write = (call) => {
  const made = (name: string) =>
    assigned(`const ${name} = await openai.responses.create`, call.example.body, optionHeaders(call))
  return {
    sdk: "openai",
    lines: isStream(call)
      ? [
          made("events"),
          'for await (const event of events) if (event.type === "response.output_text.delta") process.stdout.write(event.delta)'
        ]
      : [made("answer"), "console.log(answer.output_text)"]
  }
}

const message: Write = (call) => ({
  sdk: "anthropic",
  lines: isStream(call)
    ? [
        assigned("const events = anthropic.messages.stream", withoutStream(call.example.body), optionHeaders(call)),
        'await events.on("text", (text) => process.stdout.write(text)).finalMessage()'
      ]
    : [
        assigned("const answer = await anthropic.messages.create", call.example.body, optionHeaders(call)),
        "console.log(answer.content)"
      ]
})

/** Google's SDK has the headers of a call in its `config`. */
const googleOptions = (call: Call): object | undefined => {
  const headers = optionHeaders(call)
  return headers && { httpOptions: { headers } }
}

/** Google's SDK has the settings of a generation as `config`. */
const contentOf = (call: Call) => {
  const { body, path } = call.example
  const { generationConfig, ...rest } = record(body)
  const options = googleOptions(call)
  return {
    ...path,
    ...rest,
    ...(generationConfig === undefined && options === undefined
      ? {}
      : { config: { ...record(generationConfig), ...options } })
  }
}

const content: Write = (call) => ({
  sdk: "google",
  lines: [assigned("const answer = await google.models.generateContent", contentOf(call)), "console.log(answer.text)"]
})

const contentStream: Write = (call) =>
  isStream(call)
    ? {
        sdk: "google",
        lines: [
          assigned("const events = await google.models.generateContentStream", contentOf(call)),
          'for await (const event of events) process.stdout.write(event.text ?? "")'
        ]
      }
    : undefined

/** OpenAI's SDK has a fixed path, and the operator may have chosen another. */
const image: Write = (call) =>
  call.bound.path === "/v1/images/generations"
    ? {
        sdk: "openai",
        lines: [
          assigned("const answer = await openai.images.generate", call.example.body, optionHeaders(call)),
          "console.log(answer.data)"
        ]
      }
    : undefined

const listed = (list: string, argument: string, field: string): string =>
  `for await (const model of ${list}(${argument})) console.log(model.${field})`

const models: Write = (call) => {
  const headers = optionHeaders(call)
  const options = headers && literal({ headers })
  return call.example.headers === undefined
    ? { sdk: "openai", lines: [listed("openai.models.list", options ?? "", "id")] }
    : {
        sdk: "anthropic",
        lines: [listed("anthropic.models.list", options === undefined ? "" : `{}, ${options}`, "id")]
      }
}

const model: Write = (call) => {
  const isAnthropic = call.example.headers !== undefined
  const headers = optionHeaders(call)
  const options = headers === undefined ? "" : `, ${isAnthropic ? "{}, " : ""}${literal({ headers })}`
  const sdk = isAnthropic ? "anthropic" : "openai"
  return {
    sdk,
    lines: [
      `const model = await ${sdk}.models.retrieve(${literal(call.example.path?.["id"])}${options})`,
      "console.log(model.id)"
    ]
  }
}

const counted: Write = (call) => ({
  sdk: "anthropic",
  lines: [
    assigned("const answer = await anthropic.messages.countTokens", call.example.body, optionHeaders(call)),
    "console.log(answer)"
  ]
})

const vectors: Write = (call) => ({
  sdk: "openai",
  lines: [
    assigned("const answer = await openai.embeddings.create", call.example.body, optionHeaders(call)),
    "console.log(answer.data[0]?.embedding)"
  ]
})

const googleModels: Write = (call) => {
  const config = googleOptions(call)
  return {
    sdk: "google",
    lines: [listed("await google.models.list", config === undefined ? "" : literal({ config }), "name")]
  }
}

const ranking =
  (method: string): Write =>
  (call) => {
    const { top_n, ...rest } = record(call.example.body)
    const body = { ...rest, ...(top_n === undefined ? {} : { topN: top_n }) }
    return {
      sdk: "cohere",
      lines: [
        assigned(`const answer = await cohere.${method}`, body, optionHeaders(call)),
        "console.log(answer.results)"
      ]
    }
  }

const writers: Readonly<Record<string, Write>> = {
  [chatCompletions.id]: chat,
  [responses.id]: response,
  [messages.id]: message,
  [generateContent.id]: content,
  [streamGenerateContent.id]: contentStream,
  [imageGenerate.id]: image,
  [modelList.id]: models,
  [modelListGemini.id]: googleModels,
  [modelGet.id]: model,
  [countTokens.id]: counted,
  [embeddings.id]: vectors,
  [rerank.id]: ranking("rerank"),
  [rerankV2.id]: ranking("v2.rerank")
}

/** With the official SDK of the protocol. `undefined`: there is none that makes this call. */
export const sdk = (baseUrl: string, call: Call): Snippet | undefined => {
  const written = writers[call.operation.id]?.(call)
  if (written === undefined) return undefined
  const { setUp, title } = sdks[written.sdk]
  return { language: "sdk", title, syntax: "ts", code: [setUp(baseUrl), ...written.lines].join("\n") }
}
