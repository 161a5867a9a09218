import { families } from "@tollgate/contract/errors/Family"
import * as Schema from "effect/Schema"
import { HeaderName } from "../text/headers.ts"
import { optional, text, WebPath, wholeNumber } from "../text/values.ts"
import { WrittenPrice } from "./price.ts"

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const isJsonSchema = (value: unknown): value is Readonly<Record<string, unknown>> | boolean =>
  typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value))

/** Checked in a step of its own, which follows references. */
const JsonSchema = Schema.declare(isJsonSchema, {
  expected: 'a JSON Schema, such as { "type": "string" }',
  description:
    'A JSON Schema of draft 2020-12. "$ref": "#/schemas/Name" means a schema of the section schemas of this file'
})

export const Schemas = Schema.Record(
  text(/^[A-Za-z0-9_.-]{1,200}$/u, "a name of letters, digits, _ . and -"),
  JsonSchema
)

const parameterName = text(/^[A-Za-z_$][A-Za-z0-9_.$[\]-]{0,63}$/u, "a parameter name of letters, digits, _ . and -")

export const Parameter = Schema.Struct({
  name: parameterName,
  in: optional(
    Schema.Literals(["path", "query", "header", "body"]),
    "query for GET and DELETE and body for the others, if it is not set"
  ),
  type: optional(Schema.Literals(["string", "integer", "number", "boolean"])),
  schema: optional(JsonSchema),
  style: optional(
    Schema.Literals(["commas", "repeat", "spaces", "pipes", "brackets"]),
    "How a list or an object is written in the query: commas if it is not set"
  ),
  required: optional(Schema.Boolean),
  description: optional(Schema.NonEmptyString),
  sentAs: optional(text(/^[\x21-\x7e]{1,128}$/u, "a name without spaces"), "The upstream's name for it")
})
export type Parameter = typeof Parameter.Type

const Target = Schema.Struct({
  name: Schema.String,
  path: optional(WebPath, "The path there, with the parameters of the operation's own path in braces"),
  tool: optional(Schema.NonEmptyString, "The name of the tool, if the upstream is an MCP server"),
  forwardHeaders: optional(Schema.Array(HeaderName), "Headers of the caller that are sent on")
})

const Limits = Schema.Struct({
  rpm: optional(wholeNumber(1_000_000), "Requests per minute of one key, for the group alone"),
  concurrency: optional(Schema.Boolean, "Calls count as concurrent ones of the key"),
  tokens: optional(Schema.Boolean, "Tokens count towards those per minute"),
  tasks: optional(wholeNumber(1_000), "Tasks of one key at once"),
  group: optional(
    text(/^[a-z][a-z0-9_.-]{0,63}$/u, "a name of lower-case letters, digits, _ . and -"),
    "Operations with the same group share its limits; the operation's id if it is not set"
  )
})

const Field = text(/^[^.\s]{1,64}(?:\.[^.\s]{1,64}){0,7}$/u, 'the path of a field, such as "job.state"')

const Words = Schema.Array(text(/^[\x21-\x7e]{1,64}$/u, "a word of the upstream")).annotate({
  description: "Its words for this end"
})

const idPath = text(/^\/[^\s]*\{id\}[^\s]*$/u, "a path with {id} for the upstream's id of the task")

/** The upstream goes on working after its answer. */
const Task = Schema.Struct({
  at: text(
    /^(?:\/(?:[A-Za-z0-9_~.:@+-]+|\{task_id\}))+$/u,
    "a path with {task_id}, such as /apis/v1/renders/{task_id}"
  ).annotate({ description: "Where callers ask for a task (GET), and cancel it (DELETE)" }),
  id: Field.annotate({ description: "Where the upstream's answers have the id of the task" }),
  status: Field.annotate({ description: "Where they have its status" }),
  succeeded: Words,
  failed: Words,
  canceled: optional(Words),
  result: optional(Field, "What a task that succeeded must have to be charged"),
  poll: Schema.Struct({ method: optional(Schema.Literals(["GET", "POST"])), path: idPath }),
  cancel: optional(Schema.Struct({ method: optional(Schema.Literals(["POST", "PUT", "DELETE"])), path: idPath })),
  answer: optional(Schema.Struct({ schema: JsonSchema }), "What callers get when they ask for a task")
})
export type Task = typeof Task.Type

/** The price is decoded in a step of its own, so that its problems are those of the form that was meant. */
const fields = {
  id: text(
    /^[a-z0-9_]+(?:[.-][a-z0-9_]+)*$/u,
    "an id such as weather.forecast: lower-case letters, digits, _ and dots"
  ),
  category: text(/^(?=.{1,40}$)[a-z0-9]+(?:[ _-][a-z0-9]+)*$/u, 'a few short words in lower case, such as "weather"'),
  summary: Schema.NonEmptyString.annotate({ expected: "a line that says what it does" }),
  description: optional(Schema.NonEmptyString),
  method: Schema.Literals(methods),
  path: text(
    /^(?:\/(?:[A-Za-z0-9_~.:@+-]|\{[A-Za-z_$][A-Za-z0-9_.$-]{0,63}\})+)+$/u,
    "a path such as /apis/v1/weather/{city}, of letters, digits, _ ~ . : @ + - and parameters in braces"
  ),
  parameters: optional(Schema.Array(Parameter)),
  otherParameters: optional(Schema.Boolean, "Query parameters that are not described are sent on too"),
  body: optional(
    Schema.Struct({
      schema: optional(JsonSchema),
      type: optional(
        text(
          /^(?:json|form|multipart|\*\/\*|[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]{0,126}))$/u,
          'json, form, multipart, or a content type such as "application/octet-stream"'
        ),
        "json, the default, and form: callers send JSON, and the upstream gets it so or as a form. multipart, or a content type: callers send it, and it is sent on as it is"
      ),
      required: optional(Schema.Boolean)
    }),
    "Instead of parameters in the body"
  ),
  answer: optional(
    Schema.Struct({
      schema: optional(JsonSchema),
      type: optional(
        text(
          /^(?:\*\/\*|[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]{0,126}))$/u,
          'a content type such as "image/png", "image/*" or "*/*"'
        ),
        "Of an answer that is not JSON; its price is per call. */* is any bytes"
      ),
      headers: optional(
        Schema.Array(HeaderName),
        "Headers of the upstream's answer that callers get, such as Link or Location"
      )
    })
  ),
  family: optional(Schema.Literals(families)),
  limits: optional(Limits),
  replay: optional(Schema.Literals(["free", "billed", "create"])),
  pending: optional(Schema.Array(Schema.Literals(["request", "response"]))),
  task: optional(Task),
  maxBodyBytes: optional(wholeNumber(20 * 1024 * 1024)),
  upstream: Schema.Union([Schema.String, Target])
}

export const Entry = Schema.Struct({
  ...fields,
  price: optional(Schema.Unknown),
  cost: optional(Schema.Unknown)
})
export type Entry = typeof Entry.Type

export const FileEntry = Schema.Struct({
  file: Schema.NonEmptyString.annotate({
    description: "A file with operations, relative to this one",
    expected: 'the name of a file, such as "weather.operations.json"'
  })
})

/** The whole format, for editors. */
export const OperationsFile = Schema.Array(
  Schema.Union([
    Schema.Struct({
      ...fields,
      price: optional(WrittenPrice),
      cost: optional(WrittenPrice, "What the upstream charges you")
    }),
    FileEntry
  ])
)
