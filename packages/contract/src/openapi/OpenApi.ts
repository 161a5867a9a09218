import * as Effect from "effect/Effect"
import * as Digest from "effect/crypto/Digest"
import * as Predicate from "effect/Predicate"
import type { Catalogue } from "../Catalogue.ts"
import { fill } from "../Names.ts"
import * as Utf8 from "../Utf8.ts"
import { Components } from "./components.ts"
import { makeLinks, namedExamples } from "./examples.ts"
import { definition, operationObject } from "./operation.ts"

export const interfaceVersion = "1.0.0"

/** What each category of the interface holds. */
const categories: Readonly<Record<string, string>> = {
  account: "Usage of a credential, and the platform accounts linked to it",
  contracts: "The OpenAPI document and its versions",
  finance: "Financial data of companies",
  models: "Inference, in the formats of the official SDKs",
  rerank: "Ordering documents by relevance",
  social: "Reading from and writing to social platforms",
  video: "Video generation, as long-running tasks",
  "web traffic": "Traffic data of websites"
}

/** What a category holds. `undefined`: it is one of the operator's own. */
export const describedCategory = (name: string): string | undefined =>
  Object.hasOwn(categories, name) ? categories[name] : undefined

export const categoryDescription = (name: string): string =>
  describedCategory(name) ?? "Operations that the operator of this gateway added"

export const beginning = (title: string, description: string) => ({
  openapi: "3.0.3",
  info: {
    title,
    version: interfaceVersion,
    description,
    license: { name: "MIT", url: "https://opensource.org/license/mit" }
  },
  servers: [{ url: "/" }]
})

const inBraces = /\{[^{}]*\}/g

/** OpenAPI takes paths for the same that differ only in the names of parameters: the first path's names hold for all. */
const renamed = (object: ReturnType<typeof operationObject>, own: string, path: string) => {
  const there = path.match(inBraces) ?? []
  const names = new Map((own.match(inBraces) ?? []).map((name, i) => [name, there[i]?.slice(1, -1)]))
  return {
    ...object,
    parameters: object.parameters.map((parameter) =>
      parameter.in === "path" ? { ...parameter, name: names.get(`{${parameter.name}}`) ?? parameter.name } : parameter
    )
  }
}

/** Writes the document, one operation after the other: there may be a thousand. */
function* steps(catalogue: Catalogue, only: string | undefined) {
  const components = new Components()
  const paths: Record<string, Record<string, unknown>> = {}
  const operations = catalogue.bound.filter((operation) => only === undefined || operation.id === only)
  const documented = new Map(operations.map((operation) => [operation.id, operation]))
  const links = makeLinks(catalogue, documented)
  const shapes = new Map<string, string>()
  for (const described of catalogue.operations) {
    const operation = documented.get(fill(described.id, catalogue.names))
    if (operation === undefined) continue
    const shape = operation.path.replaceAll(inBraces, "{}")
    const path = shapes.get(shape) ?? operation.path
    shapes.set(shape, path)
    const item = (paths[path] ??= {})
    const object = operationObject(operation, components, namedExamples(described), links(described))
    item[operation.method.toLowerCase()] = path === operation.path ? object : renamed(object, operation.path, path)
    yield
  }
  const unbound = catalogue.operations
    .map((operation) => ({ ...operation, id: fill(operation.id, catalogue.names) }))
    .filter(({ id }) => !catalogue.byId.has(id) && (only === undefined || id === only))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    ...beginning(
      `${catalogue.names.provider} gateway`,
      "A metered gateway: one bearer credential for model inference, rerank, long-running tasks and paid data. " +
        "A definition marked pending is incomplete: fields and parameters that it does not name pass through unchanged. " +
        "What an upstream answers is handed on as it is, errors included. A HEAD is answered where a GET is free."
    ),
    "x-names": catalogue.names,
    tags: [...new Set(operations.map(({ category }) => category))]
      .sort()
      .map((name) => ({ name, description: categoryDescription(name) })),
    paths,
    ...(unbound.length === 0
      ? {}
      : {
          "x-unbound-operations": unbound.map((operation) => ({
            operationId: operation.id,
            summary: operation.summary,
            "x-definition": definition(operation)
          }))
        }),
    components: { ...components }
  }
}

/** The OpenAPI 3.0.3 document of a catalogue, or of one of its operations. */
export const document = (catalogue: Catalogue, only?: string) => {
  return run(steps(catalogue, only))
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : Predicate.isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)])
        )
      : value

/** Operations and schemas are at this depth: each is written in a step of its own. */
const stepDepth = 3

/** Writes `JSON.stringify(sorted(value))`, with a pause after each part. */
function* textSteps(value: unknown, depth = 0): Generator<void, string | undefined> {
  if (depth === stepDepth || !Predicate.isObject(value) || Array.isArray(value)) {
    const text = JSON.stringify(sorted(value)) as string | undefined
    yield
    return text
  }
  const members: Array<string> = []
  for (const key of Object.keys(value).sort((a, b) => (a < b ? -1 : 1))) {
    const text = yield* textSteps((value as Readonly<Record<string, unknown>>)[key], depth + 1)
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${members.join(",")}}`
}

function* sourceSteps(catalogue: Catalogue, only?: string): Generator<void, string> {
  return (yield* textSteps(yield* steps(catalogue, only))) ?? ""
}

const run = <A>(writing: Generator<void, A>): A => {
  for (;;) {
    const { done, value } = writing.next()
    if (done === true) return value
  }
}

const sources = new WeakMap<Catalogue, string>()

/** The text that is served and hashed. Keys are sorted, so that the hash changes only if the contract does. */
export const source = (catalogue: Catalogue, only?: string): string => {
  if (only !== undefined) return run(sourceSteps(catalogue, only))
  const known = sources.get(catalogue) ?? run(sourceSteps(catalogue))
  sources.set(catalogue, known)
  return known
}

/** How many operations or schemas are written before others get a turn. */
const atATime = 20

/** The same as `source`, without holding the program up. */
export const sourceInSteps = Effect.fnUntraced(function* (catalogue: Catalogue): Effect.fn.Return<string> {
  const known = sources.get(catalogue)
  if (known !== undefined) return known
  const writing = sourceSteps(catalogue)
  for (let count = 1; ; count++) {
    const { done, value } = writing.next()
    if (done === true) {
      sources.set(catalogue, value)
      return value
    }
    if (count % atATime === 0) yield* Effect.yieldNow
  }
})

/** SHA-256 of the source, in hexadecimal. */
export const contentHash = (source: string): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, Utf8.encode(source)))
