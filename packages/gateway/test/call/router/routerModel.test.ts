import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import type { Bound, Method } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import * as fc from "fast-check"
import * as Router from "../../../src/call/router/Router.ts"
import { hasDotSegment } from "../../../src/internal/query.ts"

const [someOperation] = Catalogue.make(operations, defaults).bound

const at = (path: string, method: Method = "GET"): Bound => ({
  ...someOperation!,
  id: `${method} ${path}`,
  path,
  method
})

const escape = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const expressionOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/(\{[^}]+\})/)
      .map((part) => (part.startsWith("{") ? "([^/]+?)" : escape(part)))
      .join("")}$`
  )

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const fixedIn = (segment: string): number => {
  const fixed = segment.replace(/\{[^}]+\}/g, "")
  return fixed === segment ? Infinity : fixed.length
}

const shapeOf = (segment: string): string => segment.replace(/\{\w+\}/g, "{}")

/** From the left, the pattern whose segment has more fixed text comes first, then more parameters, then by its text. */
const bySpecificity = (a: string, b: string): number => {
  const [left, right] = [a.split("/"), b.split("/")]
  if (left.length !== right.length) return left.length - right.length
  for (let i = 0; i < left.length; i++) {
    const [one, other] = [shapeOf(left[i]!), shapeOf(right[i]!)]
    const [x, y] = [fixedIn(left[i]!), fixedIn(right[i]!)]
    if (x !== y) return y - x
    const more = other.split("{}").length - one.split("{}").length
    if (more !== 0) return more
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

/** The simplest router: one regular expression for each pattern, tried one after the other. */
const modelOf = (paths: ReadonlyArray<string>) => {
  const patterns = paths.toSorted(bySpecificity).map((path) => ({ path, expression: expressionOf(path) }))
  return (path: string): { pattern: string; values: ReadonlyArray<string> } | undefined => {
    for (const { expression, path: pattern } of patterns) {
      const groups = expression.exec(path)
      if (groups === null) continue
      const values = groups.slice(1).map(decode)
      const valid = values.filter((value) => value !== undefined && value !== "" && !hasDotSegment(value))
      return valid.length < values.length ? undefined : { pattern, values: valid as ReadonlyArray<string> }
    }
    return undefined
  }
}

const word = fc.constantFrom("a", "b", "ab", "v1", "", "a.b", "a:b")
// Names are given by position, so that patterns of one shape are one pattern.
const segment = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 3, arbitrary: fc.constant("{}") },
  fc.tuple(word, word).map(([before, after]) => `${before}{}${after}`),
  fc.tuple(word, word, word).map(([before, between, after]) => `${before}{}${between}{}${after}`),
  fc.constantFrom("{}:get", "{}:list", "{}...{}", "{}{}")
)
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => {
  let count = 0
  return `/${segments.join("/")}`.replaceAll("{}", () => `{p${count++}}`)
})
const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "v1",
  "",
  "a.b",
  "a:b",
  "x",
  ":get",
  "...",
  "%2e%2e",
  "%41",
  "%",
  "..",
  "é"
)
const text = fc.array(
  fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("")),
  { minLength: 1, maxLength: 5 }
)

describe("the router", () => {
  it("finds what trying all patterns one after the other finds, for any patterns and paths", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(pattern, { minLength: 1, maxLength: 12 }),
        fc.array(text, { minLength: 1, maxLength: 12 }),
        (patterns, texts) => {
          const router = Router.make(patterns.map((path) => at(path)))
          const model = modelOf(patterns)
          for (const segments of texts) {
            const path = `/${segments.join("/")}`
            const expected = model(path)
            const match = router.match(path)
            const found = match?.operations.values().next().value
            if (expected === undefined) expect(match, path).toBeUndefined()
            else {
              expect(found?.path, path).toBe(expected.pattern)
              expect(Object.values(match?.parameters ?? {}), path).toEqual(expected.values)
            }
          }
        }
      ),
      { numRuns: Number(process.env["ROUTER_RUNS"] ?? 500) }
    )
  })

  it("prefers literal text in the segment that differs first, in whatever order the operations are", () => {
    const paths = ["/users/{id}", "/users/me", "/{kind}/me", "/users/{id}/keys", "/users/me/{what}", "/users/{id}:ban"]
    for (const order of [paths, paths.toReversed()]) {
      const router = Router.make(order.map((path) => at(path)))
      const found = (path: string) => router.match(path)?.operations.values().next().value?.path
      expect(found("/users/me")).toBe("/users/me")
      expect(found("/users/7")).toBe("/users/{id}")
      expect(found("/teams/me")).toBe("/{kind}/me")
      expect(found("/users/me/keys")).toBe("/users/me/{what}")
      expect(found("/users/7/keys")).toBe("/users/{id}/keys")
      expect(found("/users/7:ban")).toBe("/users/{id}:ban")
    }
  })

  it("gives each method of a path the names that its own operation has for the parameters", () => {
    const router = Router.make([at("/repos/{owner}/{repo}"), at("/repos/{repo}/{owner}", "DELETE" as Method)])
    expect(router.match("/repos/a/b", "GET")?.parameters).toEqual({ owner: "a", repo: "b" })
    expect(router.match("/repos/a/b", "DELETE")?.parameters).toEqual({ repo: "a", owner: "b" })
    expect([...(router.match("/repos/a/b")?.operations.keys() ?? [])]).toEqual(["GET", "DELETE"])
  })
})

describe("a thousand patterns", () => {
  it("are all found by their own paths, with their parameters", () => {
    const paths = Array.from({ length: 1_000 }, (_, i) => `/apis/v${i % 7}/area${i % 50}/{id}/part${i}`)
    const router = Router.make(paths.map((path) => at(path)))
    for (const [i, path] of paths.entries()) {
      const match = router.match(path.replace("{id}", `x${i}`))
      expect(match?.operations.get("GET")?.path).toBe(path)
      expect(match?.parameters).toEqual({ id: `x${i}` })
    }
  })
})
