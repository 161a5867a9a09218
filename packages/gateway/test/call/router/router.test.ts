import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, type Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as fc from "fast-check"
import * as Router from "../../../src/call/router/Router.ts"

const { bound } = Catalogue.make(operations, defaults, {
  deep_research: { path: "/v1/deep-research" },
  "images.generate": { path: "/v1/images/generations" }
})
const router = Router.make(bound)

const idsAt = (path: string): ReadonlyArray<string> =>
  [...(router.match(path)?.operations.values() ?? [])].map(({ id }) => id)

const expectNoMatch = (paths: ReadonlyArray<string>) => {
  for (const path of paths) expect(router.match(path), path).toBeUndefined()
}

describe("literal paths", () => {
  it("match exactly, and in no other spelling", () => {
    expect(idsAt("/v1/rerank")).toEqual(["rerank"])
    expectNoMatch([
      "",
      "/",
      "/v1",
      "/v1/rerank/",
      "//v1/rerank",
      "/v1//rerank",
      "/V1/rerank",
      "/v1/Rerank",
      "/v1/rerank ",
      "/v1/rerank%20",
      "/v1/re%72ank",
      "/v1%2Frerank",
      "/v1/./rerank",
      "/v1/x/../rerank",
      "/v1/rerank;a=b",
      "/v1/rerank#x",
      "v1/rerank",
      "http://host/v1/rerank",
      "/v1/rerank\u0000",
      "__proto__",
      "/constructor"
    ])
  })

  it("have no parameters", () => {
    expect(router.match("/v1/rerank")?.parameters).toEqual({})
  })

  it("can be shared by operations with different methods", () => {
    const shared = { ...bound[0]!, path: "/v1/shared" }
    const both = Router.make([
      { ...shared, id: "read", method: "GET" },
      { ...shared, id: "write", method: "POST" }
    ])
    const match = both.match("/v1/shared")
    expect([...(match?.operations.keys() ?? [])]).toEqual(["GET", "POST"])
    expect(match?.operations.get("GET")?.id).toBe("read")
    expect(match?.operations.get("POST")?.id).toBe("write")
    expect(match?.operations.get("PUT")).toBeUndefined()
  })
})

describe("parameters", () => {
  const tasks = "/apis/v1/services/aigc/tasks/"
  const taskId = (segment: string) => router.match(tasks + segment)?.parameters.task_id

  it("are one segment, decoded once", () => {
    expect(taskId("abc-123")).toBe("abc-123")
    expect(taskId("a%20b")).toBe("a b")
    expect(taskId("%E2%82%AC")).toBe("€")
    expect(taskId("a%2Fb")).toBe("a/b")
    expect(taskId("%252F")).toBe("%2F")
    expect(taskId("a+b")).toBe("a+b")
    expect(taskId("a:b@c;d=e,f")).toBe("a:b@c;d=e,f")
    expect(taskId("__proto__")).toBe("__proto__")
  })

  it("are never empty, several segments or badly encoded", () => {
    expectNoMatch(
      ["", "/", "a/b", "a/", "/a", "%", "%2", "%zz", "%E2%82", "%C0%AF", "a%"].map((segment) => tasks + segment)
    )
  })

  it("are never a dot segment", () => {
    expectNoMatch([".", "..", "%2e", "%2E%2e", ".%2e", "%2e."].map((segment) => tasks + segment))
    for (const fine of ["...", ".a", "a..", "..a"]) expect(taskId(fine), fine).toBe(fine)
  })

  it("never contain a dot segment when decoded", () => {
    expectNoMatch(
      ["..%2F..%2Fadmin", "a%2F..%2Fb", "..%2f", "%2e%2e%2fkeys", "..%5Cadmin"].map((segment) => tasks + segment)
    )
  })
})

describe("a model and its method in one segment", () => {
  const models = "/v1beta/models/"

  it("are split at the last colon", () => {
    expect(idsAt(`${models}gemini-2:generateContent`)).toEqual(["models.generate_content"])
    expect(idsAt(`${models}gemini-2:streamGenerateContent`)).toEqual(["models.stream_generate_content"])
    expect(router.match(`${models}gemini-2:generateContent`)?.parameters).toEqual({ model: "gemini-2" })
    expect(router.match(`${models}a:generateContent:generateContent`)?.parameters).toEqual({
      model: "a:generateContent"
    })
    expect(router.match(`${models}tuned%2Fmine:generateContent`)?.parameters).toEqual({ model: "tuned/mine" })
  })

  it("are both required, in exactly this spelling", () => {
    // A model alone can be read, whatever its name is.
    const alone = ["gemini-2", "gemini-2:", ":generateContent", "gemini-2:GenerateContent", "gemini-2:generateContent2"]
    for (const model of alone) expect(idsAt(models + model), model).toEqual(["models.get_gemini"])
    expectNoMatch(
      ["", "gemini-2:generateContent/", "a/b:generateContent", "%:generateContent"].map((rest) => models + rest)
    )
  })
})
describe("an alias", () => {
  const goog = { "x-goog-api-key": "k" }

  it("is the operation's own path with the same parameters, as they are written", () => {
    expect(router.match("/v1/models/tuned%2Fmine:generateContent", "POST")).toMatchObject({
      parameters: { model: "tuned/mine" },
      path: "/v1beta/models/tuned%2Fmine:generateContent"
    })
    expect(router.match("/v1beta/models/m:generateContent", "POST")?.path).toBeUndefined()
  })

  it("at another operation's path is meant by who sends the family's header", () => {
    const at = (path: string, headers = {}) => {
      const match = router.match(path, "GET", headers)
      return [match?.operations.get("GET")?.id, match?.parameters, match?.path]
    }
    expect(at("/v1/models")).toEqual(["models.list", {}, undefined])
    expect(at("/v1/models", goog)).toEqual(["models.list_gemini", {}, "/v1beta/models"])
    expect(at("/v1/models/m")).toEqual(["models.get", { id: "m" }, undefined])
    expect(at("/v1/models/m", goog)).toEqual(["models.get_gemini", { model: "m" }, "/v1beta/models/m"])
    expect(at("/v1/models/%2e%2e", goog)).toEqual([undefined, undefined, undefined])
    expect(router.match("/v1/models", "POST", goog)?.operations.has("POST")).toBe(false)
  })
})

const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !/^\.\.?$/.test(text) && !/[/\\]/.test(text))

const names: fc.Arbitrary<Names> = fc
  .uniqueArray(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,9}$/), { minLength: 5, maxLength: 5 })
  .map(([social_a, social_b, social_c, reseller, traffic_analytics]) => ({
    ...defaults,
    social_a: `${social_a}A`,
    social_b: `${social_b}B`,
    social_c: `${social_c}C`,
    reseller: `${reseller}R`,
    traffic_analytics: `${traffic_analytics}T`
  }))

describe("every operation", () => {
  it("matches its own path and method, with its parameters, under any names", () => {
    fc.assert(
      fc.property(names, segment, (names, value) => {
        const catalogue = Catalogue.make(operations, names, {
          deep_research: { path: "/v1/deep-research" },
          "images.generate": { path: "/v1/images/generations" }
        })
        const router = Router.make(catalogue.bound)
        for (const operation of catalogue.bound) {
          const path = operation.path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(value))
          const match = router.match(path)
          expect(match?.operations.get(operation.method)?.id, path).toBe(operation.id)
          expect([...(match?.operations.values() ?? [])].every((other) => other.path === operation.path)).toBe(true)
          const parameters = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => [name, value])
          expect(match?.parameters).toEqual(Object.fromEntries(parameters))
        }
      }),
      { numRuns: 50 }
    )
  })

  it("does not match a path that differs in one character", () => {
    const literal = bound.map(({ path }) => path).filter((path) => !path.includes("{"))
    const known = bound.map(
      ({ path }) => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`)
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...literal),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (path, at, sign) => {
          const i = at % path.length
          const changed = path.slice(0, i) + sign + path.slice(i + 1)
          fc.pre(!known.some((path) => path.test(changed)))
          expect(router.match(changed)).toBeUndefined()
        }
      )
    )
  })

  it("never makes the router throw, whatever the path", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `/apis/v1/services/aigc/tasks/${text}`),
          fc.string().map((text) => `/v1beta/models/${text}:generateContent`)
        ),
        (path) => {
          const match = router.match(path)
          if (match === undefined) return
          for (const value of Object.values(match.parameters)) expect(value).not.toBe("")
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("is matched in milliseconds even for a long hostile path", () => {
    const start = process.cpuUsage()
    router.match(`/v1beta/models/${":generateContent".repeat(20_000)}x`)
    router.match(`/v1beta/models/${"%41".repeat(100_000)}`)
    // Of this process alone, so that a busy machine does not count. Minutes with the square.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000)
  })
})
