import { type Framing, InvalidInput } from "../BilledAnswer.ts"
import { count } from "../text/tokens.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

export const sse: Framing = {
  contentType: "text/event-stream",
  frame: ({ data, event }) => `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`,
  close: () => ""
}

/** One JSON array, sent item by item. */
export const array: Framing = {
  contentType: "application/json",
  frame: ({ data }, index) => `${index === 0 ? "[" : ",\n"}${data}`,
  close: (sent) => (sent === 0 ? "[]" : "]")
}

/** The model that answers conversations. */
export const chatModel = "sandbox"

/** The name without a scenario. */
const nameOf = (model: string): string => model.split(":", 1)[0] ?? model

export const isChatModel = (model: string): boolean => nameOf(model) === chatModel

/** A longer name is cut in the error message. */
const maxNameLength = 100

export const unknownModel = (model: string) =>
  new InvalidInput({
    status: 404,
    message: `The model ${model.slice(0, maxNameLength)} does not exist; the sandbox has ${chatModel}.`,
    code: "model_not_found",
    param: "model"
  })

/** Names the first invalid field. The message omits the value, which may be large. */
const explain = (root: SchemaIssue.Issue): InvalidInput => {
  const path: Array<string> = []
  let issue = root
  for (;;) {
    if (issue._tag === "Pointer") {
      path.push(...issue.path.map(String))
      issue = issue.issue
    } else if (issue._tag === "Filter" || issue._tag === "Encoding") issue = issue.issue
    else if (issue._tag === "Composite") issue = issue.issues[0]
    else break
  }
  const param = path.join(".")
  const wrong = issue._tag === "MissingKey" ? "is required" : "Input is not valid for this field"
  return param === ""
    ? new InvalidInput({ message: "The body is not a valid JSON object." })
    : new InvalidInput({ message: `${param}: ${wrong}`, param })
}

/** A body, and the seed of its answer, which is the same for the same request. */
interface JsonBody {
  readonly value: unknown
  readonly seed: string
}

export const json = (request: HttpServerRequest): Effect.Effect<JsonBody, InvalidInput> =>
  Effect.zipWith(request.text, request.json, (text, value) => ({
    value,
    seed: `${request.url}\n${request.headers["x-request-id"] ?? ""}\n${text}`
  })).pipe(Effect.mapError(() => new InvalidInput({ message: "The body is not JSON." })))

/** The texts and files of a form by name, without brackets. A file is its size. */
export const form = (request: HttpServerRequest): Effect.Effect<Readonly<Record<string, unknown>>, InvalidInput> =>
  Effect.map(request.arrayBuffer, (buffer) => {
    const [, boundary = ""] = /boundary="?([^";]+)/.exec(request.headers["content-type"] ?? "") ?? []
    const bytes = new Uint8Array(buffer)
    // One character for each byte.
    const parts = Array.from(bytes, (byte) => String.fromCharCode(byte))
      .join("")
      .split(`--${boundary}`)
    return Object.fromEntries(
      parts.flatMap((part) => {
        const [, name, file, value = ""] = /name="([^"[]*)[^"]*"(; filename=)?[^]*?\r\n\r\n([^]*)\r\n$/.exec(part) ?? []
        if (name === undefined) return []
        const text = Utf8.decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
        return [[name, file === undefined ? text : { bytes: value.length }] as const]
      })
    )
  }).pipe(Effect.mapError(() => new InvalidInput({ message: "The body is not a form." })))

export const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (value: unknown): Effect.Effect<S["Type"], InvalidInput> =>
    Effect.mapError(decode(value), ({ issue }) => explain(issue))
}

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const NonEmpty = <S extends Schema.Constraint>(item: S) => Schema.Array(item).check(Schema.isMinLength(1))

export const upTo = (most: number) => Count.check(Schema.isLessThanOrEqualTo(most))

/** Stop sequences. An empty one would end every answer at its start. */
export const Sequences = Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(16))

const Tokens = Schema.Array(Schema.Int)

/** One text, several, one list of tokens, or several. */
export const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String), Tokens, Schema.Array(Tokens)])

export interface Counted {
  readonly text: string
  readonly tokens: number
}

const fromText = (text: string): Counted => ({ text, tokens: count(text) })
const fromTokens = (tokens: ReadonlyArray<number>): Counted => ({ text: tokens.join(" "), tokens: tokens.length })

export const textsOf = (
  given: string | ReadonlyArray<string | number | ReadonlyArray<number>>
): ReadonlyArray<Counted> => {
  if (typeof given === "string") return [fromText(given)]
  const numbers = given.filter((item) => typeof item === "number")
  if (numbers.length > 0) return [fromTokens(numbers)]
  return given.map((item) => (typeof item === "string" ? fromText(item) : fromTokens(Array.isArray(item) ? item : [])))
}
