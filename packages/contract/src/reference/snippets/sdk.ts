import * as Predicate from "effect/Predicate"
import { byId } from "../../operations.ts"
import { literal, withoutStream } from "./input.ts"
import { optionHeaders, type Call, type Snippet } from "./Snippet.ts"
import { sdks } from "./sdks.ts"

type Sdk = keyof typeof sdks

type Write = (call: Call) => { readonly sdk: Sdk; readonly lines: ReadonlyArray<string> } | undefined

/** The first argument of a method, and the headers that are its second. */
type Given = (call: Call) => readonly [value: unknown, headers?: object | undefined]

const body: Given = (call) => [call.example.body, optionHeaders(call)]

const isStream = ({ example }: Call): boolean => example.contentType === "text/event-stream"

/** `before` is the statement up to its arguments, `after` what reads its result. */
const written =
  (sdk: Sdk, before: string, after: string, given: Given = body): Write =>
  (call) => {
    const [value, headers] = given(call)
    const second = headers === undefined ? "" : `, ${literal({ headers })}`
    const first = literal(value, "", before.length + second.length + 2)
    return { sdk, lines: [`${before}(${first}${second})`, after] }
  }

const answered = (sdk: Sdk, method: string, read: string, given?: Given): Write =>
  written(sdk, `const answer = await ${sdk}.${method}`, `console.log(answer${read})`, given)

const printed = (text: string): string => `for await (const event of events) ${text}`

const either =
  (whole: Write, stream: Write): Write =>
  (call) =>
    (isStream(call) ? stream : whole)(call)

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) ? (value as Readonly<Record<string, unknown>>) : {}

/** Google's SDK has the headers of a call in its `config`. */
const googleOptions = (call: Call): object | undefined => {
  const headers = optionHeaders(call)
  return headers && { httpOptions: { headers } }
}

/** Google's SDK has the settings of a generation as `config`. */
const content: Given = (call) => {
  const { generationConfig, ...rest } = record(call.example.body)
  const config = { ...record(generationConfig), ...googleOptions(call) }
  return [{ ...call.example.path, ...rest, ...(Object.keys(config).length === 0 ? {} : { config }) }]
}

const ranking: Given = (call) => {
  const { top_n: topN, ...rest } = record(call.example.body)
  return [{ ...rest, ...(topN === undefined ? {} : { topN }) }, optionHeaders(call)]
}

const image = answered("openai", "images.generate", ".data")

/** Anthropic's list and model take their parameters before the headers. */
const listed = (sdk: Sdk, before: string, argument: string, field: string) => ({
  sdk,
  lines: [`for await (const model of ${before}(${argument})) console.log(model.${field})`]
})

/** The headers of an example tell the formats of a list of models apart. */
const modelsSdk = ({ example }: Call) => (example.headers === undefined ? "openai" : "anthropic")

const modelArguments = (call: Call): ReadonlyArray<string> => {
  const headers = optionHeaders(call)
  if (headers === undefined) return []
  return [...(modelsSdk(call) === "anthropic" ? ["{}"] : []), literal({ headers })]
}

const models: Write = (call) =>
  listed(modelsSdk(call), `${modelsSdk(call)}.models.list`, modelArguments(call).join(", "), "id")

const model: Write = (call) => {
  const sdk = modelsSdk(call)
  const given = [literal(call.example.path?.["id"]), ...modelArguments(call)].join(", ")
  return { sdk, lines: [`const model = await ${sdk}.models.retrieve(${given})`, "console.log(model.id)"] }
}

const googleModels: Write = (call) => {
  const config = googleOptions(call)
  return listed("google", "await google.models.list", config === undefined ? "" : literal({ config }), "name")
}

const writers = byId<Write>({
  chatCompletions: either(
    answered("openai", "chat.completions.create", ".choices[0]?.message.content"),
    written(
      "openai",
      "const events = await openai.chat.completions.create",
      printed('process.stdout.write(event.choices[0]?.delta.content ?? "")')
    )
  ),
  responses: either(
    answered("openai", "responses.create", ".output_text"),
    written(
      "openai",
      "const events = await openai.responses.create",
      printed('if (event.type === "response.output_text.delta") process.stdout.write(event.delta)')
    )
  ),
  messages: either(
    answered("anthropic", "messages.create", ".content"),
    written(
      "anthropic",
      "const events = anthropic.messages.stream",
      'await events.on("text", (text) => process.stdout.write(text)).finalMessage()',
      (call) => [withoutStream(call.example.body), optionHeaders(call)]
    )
  ),
  generateContent: answered("google", "models.generateContent", ".text", content),
  streamGenerateContent: either(
    () => undefined,
    written(
      "google",
      "const events = await google.models.generateContentStream",
      printed('process.stdout.write(event.text ?? "")'),
      content
    )
  ),
  // OpenAI's SDK has a fixed path, and the operator may have chosen another.
  imageGenerate: (call) => (call.bound.path === "/v1/images/generations" ? image(call) : undefined),
  modelList: models,
  modelListGemini: googleModels,
  modelGet: model,
  completions: either(
    answered("openai", "completions.create", ".choices[0]?.text"),
    written(
      "openai",
      "const events = await openai.completions.create",
      printed('process.stdout.write(event.choices[0]?.text ?? "")')
    )
  ),
  moderations: answered("openai", "moderations.create", ".results"),
  responsesInputTokens: answered("openai", "responses.inputTokens.count", ""),
  countTokens: answered("anthropic", "messages.countTokens", ""),
  embeddings: answered("openai", "embeddings.create", ".data[0]?.embedding"),
  rerank: answered("cohere", "rerank", ".results", ranking),
  rerankV2: answered("cohere", "v2.rerank", ".results", ranking)
})

/** With the official SDK of the protocol. `undefined`: there is none that makes this call. */
export const sdk = (baseUrl: string, call: Call): Snippet | undefined => {
  const written = writers[call.operation.id]?.(call)
  if (written === undefined) return undefined
  const { setUp, title } = sdks[written.sdk]
  return { language: "sdk", title, syntax: "ts", code: [setUp(baseUrl), ...written.lines].join("\n") }
}
