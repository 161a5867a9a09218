import { expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () => Effect.provide(effect(), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))))

const open = (path: string) => ask("GET", path, {})

test("programs find each page as Markdown by the list, and nothing of its frame", () =>
  Effect.gen(function* () {
    const list = yield* open("/llms.txt")
    expect([list.status, list.headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"])
    const pages = [...list.text.matchAll(/\((?:http:\/\/[^/)]+)?(\/docs\/[^)]+\.md)\)/g)].map(([, path = ""]) => path)
    expect(pages).toContain("/docs/rerank.md")
    expect(pages).toContain("/docs/guides/client.md")
    expect(pages.length).toBeGreaterThan(60)
    for (const path of pages) {
      const page = yield* open(path)
      expect([page.status, page.headers["content-type"]], path).toEqual([200, "text/markdown; charset=utf-8"])
      expect(page.text, path).toMatch(/^# \S/)
      // Outside code there are no elements and no entities.
      const words = page.text.replaceAll(/^```$[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "")
      expect(words, path).not.toMatch(/<\/?(?:p|div|li|code|table|strong)\b|&(?:amp|lt|gt|quot|#39);/)
    }
    const { text } = yield* open("/llms-full.txt")
    for (const title of ["# rerank", "# Errors", "# Call the gateway from TypeScript"])
      expect(text).toContain(`\n${title}\n`)
  }))

test("a page as Markdown has its code as it is, and its tables", () =>
  Effect.gen(function* () {
    const { text } = yield* open("/docs/rerank.md")
    expect(text).toContain(`"Mount Everest is the highest mountain.",\n`)
    expect(text).toContain("| Name | Type | Notes |\n| --- | --- | --- |\n| `model` | string |")
    expect(text).toContain("- Price: $")
    expect((yield* open("/docs/no-such-page.md")).status).toBe(404)
  }))

test("what programs look for is at its address", () =>
  Effect.gen(function* () {
    const document = (yield* open("/openapi.json")).json() as { readonly openapi: string; readonly paths: object }
    expect(document.openapi).toBe("3.0.3")
    expect(document.paths).toHaveProperty("/v1/rerank")
    expect((yield* open("/robots.txt")).text).toContain("Disallow: /\n")
    const icon = yield* open("/favicon.ico")
    expect([icon.headers["content-type"], icon.text.slice(0, 5)]).toEqual(["image/svg+xml", "<svg "])
  }))
