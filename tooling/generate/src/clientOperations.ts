import type { Operation } from "@tollgate/contract/Operation"
import { effectStatements } from "@tollgate/contract/reference/snippets/client"
import * as SchemaAST from "effect/SchemaAST"
import { type ClientFunction, clientFunctions, comment, header, isPending } from "./ClientFunction.ts"
import { described } from "./Described.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/client/src/generated/operations.ts"
const typesFile = "packages/client/src/generated/operationTypes.ts"

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly description: string
}

/** The described fields of an input that has only one part. Fields of several parts are described in their types. */
const fieldsOf = ({ pending, request: { body, header, path, query } }: Operation): ReadonlyArray<Field> => {
  const [only, ...others] = [path, query, header, body].filter((part) => part !== undefined)
  const ast = only === undefined || others.length > 0 ? undefined : SchemaAST.toType(only.ast)
  const declared = ast?._tag === "Objects" ? ast.propertySignatures : []
  return [
    ...declared.flatMap(({ name, type }) => {
      const description = SchemaAST.resolveAt<string>("description")(type)
      const isOptional = SchemaAST.isOptional(type)
      return description === undefined ? [] : [{ name: String(name), isOptional, description }]
    }),
    ...pending.flatMap((part) =>
      part.open === "parameter" && part.description !== undefined
        ? [{ name: part.role, isOptional: true, description: part.description }]
        : []
    )
  ]
}

/** A function that does not stream refuses the field that asks for a stream, and one that streams sets it. */
const streamFields = {
  openai: { call: "false | null", stream: "true" },
  responses: { call: "false | null", stream: "true" },
  anthropic: { call: "false", stream: "true" },
  gemini: undefined
} as const

const inputOf = ({ described: { name, operation }, streams }: ClientFunction): ReadonlyArray<string> => {
  const { narrowed = {}, stream } = operation.client === false ? {} : (operation.client ?? {})
  const type = stream === undefined ? undefined : streamFields[stream]?.[streams ? "stream" : "call"]
  return [
    ...fieldsOf(operation).map(
      (field) =>
        `${comment(field.description)}\nreadonly ${field.name}${field.isOptional ? "?" : ""}: ` +
        `Field<Input<Of<"${name}">>, "${field.name}">`
    ),
    ...Object.entries(narrowed).map(([field, narrow]) => `readonly ${field}?: ${narrow}`),
    ...(type === undefined ? [] : [`${streams ? "" : `/** \`${name}Stream\` streams. */\n`}readonly stream?: ${type}`])
  ]
}

const typesOf = (f: ClientFunction): ReadonlyArray<string> => {
  const { described, hasOwnResult, result, streams, takesInput, type } = f
  const operation = `Of<"${described.name}">`
  return [
    ...(takesInput ? [`export interface ${type}Input extends Input<${operation}> {`, ...inputOf(f), "}"] : []),
    ...(hasOwnResult ? [`export interface ${result} extends ${streams ? "EventOf" : "Success"}<${operation}> {}`] : []),
    `export type ${type}Error = Listed<${streams ? "StreamError" : "CallError"}<${operation}>>`,
    ""
  ]
}

const valueOf = ({ described: { name, operation }, streams }: ClientFunction): string => {
  const { stream } = operation.client === false ? {} : (operation.client ?? {})
  const called = isPending(operation) ? `/* @__PURE__ */ pending(${name}Operation)` : `${name}Operation`
  if (streams) return `/* @__PURE__ */ streaming(${called}, Protocol.${stream})`
  return `/* @__PURE__ */ call(${called}${stream === undefined ? "" : `, "${name}Stream"`})`
}

const written = (f: ClientFunction): string => {
  const { example, name, result, streams, takesInput, text, type } = f
  const effect = streams ? "Stream.Stream" : "Effect.Effect"
  return [
    comment(text, example === undefined ? [] : effectStatements(example)),
    `export const ${name}: (`,
    takesInput ? `input: Type.${type}Input,` : "input?: void,",
    `options?: ${streams ? "StreamOptions" : "CallOptions"}`,
    `) => ${effect}<Type.${result}, Type.${type}Error, Client> = ${valueOf(f)}`,
    ""
  ].join("\n")
}

const operationsUsed = described.filter((one) => clientFunctions.some((f) => f.described === one))

/** The types of the client's functions. */
export const clientOperationTypes: Generated = {
  file: typesFile,
  make: async () =>
    formatted(
      typesFile,
      [
        header,
        "",
        'import type { modules } from "@tollgate/contract/generated/modules"',
        'import type { EventOf, Field, Input, Success } from "@tollgate/contract/Operation"',
        'import type { CallError, Listed } from "../errors/errors.ts"',
        'import type { StreamError } from "../call/stream/streaming.ts"',
        "",
        "type Modules = typeof modules",
        "type Of<Name extends keyof Modules> = Modules[Name][Name & keyof Modules[Name]]",
        "",
        ...clientFunctions.flatMap(typesOf)
      ].join("\n")
    )
}

/** The client's functions as effects and streams. */
export const clientOperations: Generated = {
  file,
  make: async () =>
    formatted(
      file,
      [
        header,
        "",
        ...operationsUsed.map(
          ({ name }) => `import { ${name} as ${name}Operation } from "@tollgate/contract/operations/${name}"`
        ),
        'import type * as Effect from "effect/Effect"',
        'import type * as Stream from "effect/Stream"',
        'import { call } from "../call/call.ts"',
        'import type { CallOptions, StreamOptions } from "../options/CallOptions.ts"',
        'import type { Client } from "../Client.ts"',
        'import { pending } from "../pending/pending.ts"',
        'import * as Protocol from "../events/Protocol.ts"',
        'import { streaming } from "../call/stream/streaming.ts"',
        'import type * as Type from "./types.ts"',
        "",
        'export type * from "./operationTypes.ts"',
        "",
        ...clientFunctions.map(written)
      ].join("\n")
    )
}
