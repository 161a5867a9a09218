import { expect, it } from "@effect/vitest"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import * as Effect from "effect/Effect"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"

const root = join(import.meta.dirname, "../../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const pictures = globSync("docs/images/*.svg", { cwd: root }).toSorted()

/** Runs in the page. What is wrong with a drawing that is open there. */
const problemsIn = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (document.querySelector("parsererror") !== null) return ["It is not well-formed."]
  const shapeOf = (element: Element) => element.getBoundingClientRect()
  const overlap = (a: DOMRect, b: DOMRect) =>
    a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom
  const page = shapeOf(document.querySelector(".ground")!)
  const texts = [...document.querySelectorAll("text")]
  const boxes = [...document.querySelectorAll(".box rect")]
  for (const text of texts) {
    const at = shapeOf(text)
    const own = text.closest(".box")?.querySelector("rect")
    const room = own === undefined || own === null ? page : shapeOf(own)
    const isInside =
      at.left >= room.left + 6 && at.right <= room.right - 6 && at.top >= room.top && at.bottom <= room.bottom
    if (!isInside) found.push(`“${text.textContent}” leaves its box.`)
    if (texts.some((other) => other !== text && overlap(at, shapeOf(other))))
      found.push(`“${text.textContent}” meets another text.`)
    if (boxes.some((box) => box !== own && overlap(at, shapeOf(box))))
      found.push(`“${text.textContent}” lies on a box that is not its own.`)
  }
  for (const box of boxes) {
    const at = shapeOf(box)
    if (at.left < page.left || at.right > page.right || at.top < page.top || at.bottom > page.bottom)
      found.push(`The box of “${box.parentElement?.textContent?.trim()}” leaves the picture.`)
    if (boxes.some((other) => other !== box && overlap(at, shapeOf(other))))
      found.push(`The box of “${box.parentElement?.textContent?.trim()}” meets another.`)
  }
  return found
}

const problemsOf = async (browser: Browser, svg: string) => {
  const tab = await browser.newPage({ viewport: { width: 1000, height: 1000 } })
  await tab.goto(`data:image/svg+xml,${encodeURIComponent(svg)}`)
  const found = await tab.evaluate(problemsIn)
  await tab.close()
  return found
}

it("every picture is shown in a document, and the other way round", () => {
  const documents = globSync(["*.md", "docs/*.md", "docs/internals/*.md"], { cwd: root })
  const shown = documents.flatMap((path) =>
    [...read(path).matchAll(/!\[[^\]]{40,}\]\([^)]*?(images\/[\w-]+\.svg)\)/g)].map(([, name]) => `docs/${name}`)
  )
  expect([...new Set(shown)].toSorted()).toEqual(pictures)
})

it("the picture of the rooms has every package", () => {
  const names = [...read("docs/images/rooms.svg").matchAll(/class="title"[^>]*>([^<]+)</g)].map(([, name]) => name)
  const packages = readdirSync(join(root, "packages")).filter((name) => name !== "testing")
  expect(names.toSorted()).toEqual([...packages, "apps/console", "apps/gateway"].toSorted())
})

it.live.skipIf(!hasChromium)("in Chromium every picture renders, with each text in its box", () =>
  Effect.gen(function* () {
    const browser = yield* chromium
    for (const path of pictures)
      expect([path, yield* Effect.promise(() => problemsOf(browser, read(path)))]).toEqual([path, []])
    const broken = (from: string, to: string) =>
      Effect.promise(() => problemsOf(browser, read("docs/images/call.svg").replace(from, to)))
    expect(yield* broken("</g>", "")).toEqual(["It is not well-formed."])
    const long = "a text that is far too long for the box in which it stands"
    expect(yield* broken("key, limits, request, price", long)).toContain(`“${long}” leaves its box.`)
  }).pipe(Effect.scoped)
)
