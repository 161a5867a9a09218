import type * as Effect from "effect/Effect"
import * as Digest from "effect/crypto/Digest"
import * as Predicate from "effect/Predicate"
import type { Catalogue } from "../Catalogue.ts"
import { fill } from "../Names.ts"
import * as Utf8 from "../Utf8.ts"
import { Components } from "./components.ts"
import { makeLinks, namedExamples } from "./examples.ts"
import { definition, operationObject } from "./operation.ts"

/** The version of the interface that the document describes. */
export const interfaceVersion = "1.0.0"

/** What each category of the interface holds. */
const categories: Readonly<Record<string, string>> = {
  account: "Usage of a credential, and the platform accounts linked to it",
  contracts: "This document and its versions",
  finance: "Financial data of companies",
  models: "Inference, in the formats of the official SDKs",
  rerank: "Ordering documents by relevance",
  social: "Reading from and writing to social platforms",
  video: "Video generation, as long-running tasks",
  "web traffic": "Traffic data of websites"
}

/** What a category holds. An operator's own operations may have categories of their own. */
export const categoryDescription = (name: string): string =>
  (Object.hasOwn(categories, name) ? categories[name] : undefined) ??
  "Operations that the operator of this gateway added"

/** The OpenAPI 3.0.3 document of a catalogue, or of one of its operations. */
export const document = (catalogue: Catalogue, only?: string) => {
  const components = new Components()
  const paths: Record<string, Record<string, unknown>> = {}
  const operations = catalogue.bound.filter((operation) => only === undefined || operation.id === only)
  const documented = new Map(operations.map((operation) => [operation.id, operation]))
  const links = makeLinks(catalogue, documented)
  for (const described of catalogue.operations) {
    const operation = documented.get(fill(described.id, catalogue.names))
    if (operation === undefined) continue
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = operationObject(
      operation,
      components,
      namedExamples(described),
      links(described)
    )
  }
  const unbound = catalogue.operations
    .map((operation) => ({ ...operation, id: fill(operation.id, catalogue.names) }))
    .filter(({ id }) => !catalogue.byId.has(id) && (only === undefined || id === only))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    openapi: "3.0.3",
    info: {
      title: `${catalogue.names.provider} gateway`,
      version: interfaceVersion,
      description:
        "A metered gateway: one bearer credential for model inference, rerank, long-running tasks and paid data. " +
        "A definition marked pending is incomplete: fields and parameters that it does not name pass through unchanged. " +
        "What an upstream answers is handed on as it is, errors included. A HEAD is answered where a GET is free.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" }
    },
    servers: [{ url: "/" }],
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

/** The text that is served and hashed. Keys are sorted, so that the hash changes only if the contract does. */
export const source = (catalogue: Catalogue, only?: string): string => JSON.stringify(sorted(document(catalogue, only)))

/** SHA-256 of the source, in hexadecimal. */
export const contentHash = (source: string): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, Utf8.encode(source)))
