import { estimateTokens } from "@tollgate/contract/price/tokens"
import * as declared from "@tollgate/contract/errors/Family"
import type { Family } from "@tollgate/contract/errors/Family"
import { bodyLimits, type Operation, type Parts } from "@tollgate/contract/Operation"
import { byProtocol } from "@tollgate/contract/price/modelPrices"
import type { Price } from "@tollgate/contract/price/Price"
import * as limits from "@tollgate/contract/limits"
import { splitStyled } from "@tollgate/contract/QueryStyle"
import { writeBody } from "@tollgate/contract/Upload"
import * as Schema from "effect/Schema"
import type { Description } from "./Description.ts"
import { readFiles } from "./files.ts"
import { object } from "../events/Event.ts"

const pathNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name)

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** A value of an address or a header. A list is written with commas, or as JSON if it would not be read as it was. */
const textOf = (value: unknown): string => {
  if (isScalar(value)) return String(value)
  const texts = Array.isArray(value) && value.every(isScalar) ? value.map(String) : []
  const isPlain = texts.length > 0 && texts.every((text) => !text.includes(",") && !text.startsWith("["))
  return isPlain ? texts.join(",") : JSON.stringify(value)
}

type Part = "path" | "query" | "header" | "body"

/** Parts in the order in which they claim a name. */
const order: ReadonlyArray<Part> = ["path", "query", "header", "body"]

/**
 * Splits an object of arguments into the parts of a request. A name that several parts have means the first of path, query,
 * header and body; the others are written `query.name`, `header.name` and `body.name`.
 */
const splitter = ({ body, header = [], path, query = [], styles = {} }: Description): ((input: unknown) => Parts) => {
  const names: Record<Exclude<Part, "body">, ReadonlySet<string>> = {
    path: new Set(pathNames(path)),
    query: new Set(query),
    header: new Set(header)
  }
  const others: Part = body === "fields" ? "body" : "query"
  const has = (part: Part, name: string): boolean =>
    part === "body"
      ? body === "fields" && (names.path.has(name) || names.query.has(name) || names.header.has(name))
      : names[part].has(name)
  const placeOf = (argument: string): readonly [Part, string] => {
    for (const part of order) if (part !== "body" && names[part].has(argument)) return [part, argument]
    for (const part of order) {
      const name = argument.slice(part.length + 1)
      if (argument.startsWith(`${part}.`) && has(part, name)) return [part, name]
    }
    return [others, argument]
  }
  return (input) => {
    const parts: Record<Part, Array<readonly [string, unknown]>> = { path: [], query: [], header: [], body: [] }
    for (const [argument, value] of Object.entries(object(input))) {
      if (body === "value" && argument === "body") continue
      const [part, name] = placeOf(argument)
      if (part === "body") parts.body.push([name, value])
      else if (value !== undefined && value !== null) {
        parts[part].push([name, part === "query" && Object.hasOwn(styles, name) ? value : textOf(value)])
      }
    }
    // A parameter that is missing must not stay in the path.
    const inPath = [...[...names.path].map((name) => [name, undefined] as const), ...parts.path]
    return {
      path: Object.fromEntries(inPath),
      query: Object.fromEntries(parts.query),
      header: Object.fromEntries(parts.header),
      body: body === "value" ? object(input)["body"] : Object.fromEntries(parts.body)
    }
  }
}

const texts = /* @__PURE__ */ Schema.Record(Schema.String, Schema.String)

/** A value is a text, or it is missing. */
const inPath = /* @__PURE__ */ Schema.Record(
  Schema.String,
  /* @__PURE__ */ Schema.String.annotate({ message: "Missing field" })
)

const isProtocol = (family: string): family is keyof typeof byProtocol => Object.hasOwn(byProtocol, family)

/** The gateway knows the amounts. The client needs only what counts tokens, for its pace. */
const priceOf = (contract: Price["contract"], family: Family): Price => {
  switch (contract) {
    case "free":
      return { contract }
    case "model_tokens":
      return byProtocol[isProtocol(family) ? family : "openai"]
    case "per_token":
      return { contract, perMillion: "pending", texts: [] }
    default:
      return { contract: "per_request", amount: "pending" }
  }
}

/** The operation that a description describes. Its answer is not checked: the gateway and the upstream are as they are. */
export const operationOf = (description: Description): Operation => {
  const {
    answer,
    body,
    bodyType,
    family = "data",
    header,
    headers,
    id,
    limit,
    method,
    open,
    path,
    price,
    query,
    replay,
    styles
  } = description
  const { errors = price === "free" ? declared.free : declared.billed } = description
  const hasPath = path.includes("{")
  return {
    id,
    category: "",
    summary: "",
    method,
    path,
    request: {
      ...(hasPath ? { path: inPath } : {}),
      ...(query === undefined ? {} : { query: texts }),
      ...(header === undefined ? {} : { header: texts }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: Schema.Unknown })
    },
    success: Schema.Unknown,
    contentType: answer === "bytes" ? "*/*" : "application/json",
    errors,
    family,
    price: priceOf(price, family),
    limit: limit ?? limits.standard,
    expectedTokens: estimateTokens,
    bodyLimit: bodyLimits.model,
    replay,
    upstream: "managed",
    access: open === true ? "open" : "credential",
    pending: [],
    mayBeEmpty: true,
    bytes: answer === "bytes" ? "always" : "unless JSON",
    ...(bodyType === undefined
      ? {}
      : {
          readInput: (input: unknown, millis: number) => readFiles(id, input, millis),
          writeBody: (value: unknown) => writeBody(bodyType, value)
        }),
    ...(styles === undefined ? {} : { splitQuery: splitStyled(styles) }),
    split: splitter(description)
  }
}
