import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as fc from "fast-check"
import * as EndpointGroup from "../../src/endpoints/EndpointGroup.ts"

const paths = {
  start: ["/"],
  metrics: ["/metrics"],
  account: EndpointGroup.withAllBelow("/account/v1"),
  signIn: [...EndpointGroup.withAllBelow("/account"), "/.well-known/x"],
  videos: ["/videos/*"],
  proto: ["/__proto__"]
}

/** The endpoint groups note what they are asked for. `leaves` is the method that they leave to the operations. */
const world = (leaves = "none") => {
  const asked: Array<readonly [string, string]> = []
  const endpointGroups = Object.entries(paths).map(([name, claimed]): EndpointGroup.EndpointGroup => ({
    paths: claimed,
    answer: ({ method }, path) => {
      asked.push([name, path])
      return method === leaves ? undefined : Effect.succeed(HttpServerResponse.text(name))
    }
  }))
  const app = EndpointGroup.serve(endpointGroups, () => Effect.succeed(HttpServerResponse.text("operations")))
  const ask = async (url: string, method = "GET") => {
    const request = HttpServerRequest.fromWeb(new Request("http://gateway.invalid/", { method })).modify({ url })
    const answered = await Effect.runPromise(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request))
    return HttpServerResponse.toWeb(answered).text()
  }
  return { ask, asked }
}

it.each([
  ["/", "start"],
  ["/?a=/metrics", "start"],
  ["/metrics", "metrics"],
  ["/metrics?a=b/c?d", "metrics"],
  ["/metrics/", "operations"],
  ["/metricsx", "operations"],
  ["/account", "signIn"],
  ["/account?next=/v1", "signIn"],
  ["/account/", "signIn"],
  ["/account/grants", "signIn"],
  ["/account/v1", "account"],
  ["/account/v1?a", "account"],
  ["/account/v1/", "account"],
  ["/account/v1/keys/x", "account"],
  ["/account/v10", "signIn"],
  ["/accounts", "operations"],
  ["/.well-known/x", "signIn"],
  ["/.well-known/y", "operations"],
  ["/videos", "operations"],
  ["/videos/", "videos"],
  ["/videos/a/b", "videos"],
  ["/__proto__", "proto"],
  ["/constructor", "operations"],
  ["//metrics", "operations"],
  ["//", "operations"],
  ["/Metrics", "operations"],
  ["/%6detrics", "operations"],
  ["metrics", "operations"],
  ["xmetrics", "operations"],
  ["http://gateway.invalid/metrics", "operations"],
  ["*", "operations"],
  ["", "operations"],
  ["/v1/chat/completions", "operations"]
])("%s goes to %s, and no other endpoints is asked", async (url, expected) => {
  const { ask, asked } = world()
  expect(await ask(url)).toBe(expected)
  expect(asked).toEqual(expected === "operations" ? [] : [[expected, url.split("?", 1)[0]]])
})

it("what a endpoints leaves goes to the operations, not to another endpoints", async () => {
  const { ask, asked } = world("POST")
  expect(await ask("/account/v1/keys", "POST")).toBe("operations")
  expect(asked).toEqual([["account", "/account/v1/keys"]])
})

const claims = (claim: string, path: string): boolean =>
  claim.endsWith("/*") ? path.startsWith(claim.slice(0, -1)) : path === claim

it("a endpoints is asked only for paths that it claims, and always for one that nobody else claims", async () => {
  const words = fc.constantFrom("", "account", "v1", "metrics", "videos", ".well-known", "x", "?", "?a=/", "__proto__")
  const urls = fc.array(words, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`)
  await fc.assert(
    fc.asyncProperty(urls, async (url) => {
      const { ask, asked } = world()
      await ask(url)
      const [path = ""] = url.split("?", 1)
      const able = Object.entries(paths).filter(([, claimed]) => claimed.some((claim) => claims(claim, path)))
      expect(asked.length).toBe(Math.min(able.length, 1))
      for (const [name] of asked) expect(able.map(([able]) => able)).toContain(name)
    })
  )
})

it.each(["/a", "/a/*"])("two endpointGroups that claim %s are an error at the start", (path) => {
  const endpoints: EndpointGroup.EndpointGroup = { paths: [path], answer: () => undefined }
  const other: EndpointGroup.EndpointGroup = { paths: ["/b", path], answer: () => undefined }
  expect(() => EndpointGroup.serve([endpoints, other], () => Effect.succeed(HttpServerResponse.empty()))).toThrow(
    `Two endpointGroups claim ${path}.`
  )
})
