import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"

/** A site on this machine that shows this at every address. */
export const site = (html: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end(html))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** The texts of a page with less contrast than WCAG AA asks for, and whether the page is wider than the window. */
export const legibility = (page: Page) =>
  page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
        const part = value / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const backgroundOf = (element: Element | null): string => {
      if (element === null) return "rgb(255, 255, 255)"
      const { backgroundColor } = getComputedStyle(element)
      return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor
    }
    const hasText = (element: Element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? "").trim() !== "")
    const faint = [...document.body.querySelectorAll("*")].filter(hasText).flatMap((element) => {
      const [light = 0, dark = 0] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))].sort(
        (one, other) => other - one
      )
      const contrast = (light + 0.05) / (dark + 0.05)
      return contrast >= 4.5 ? [] : [`${element.textContent}: ${contrast.toFixed(2)}`]
    })
    return { faint, isTooWide: document.documentElement.scrollWidth > innerWidth }
  })

/** The controls that the Tab key reaches, in order, each with whether its focus can be seen. */
export const tabOrder = async (page: Page, count: number) => {
  const reached: Array<readonly [string, boolean]> = []
  await page.locator("body").press("Home")
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("Tab")
    reached.push(
      await page.evaluate(() => {
        const element = document.activeElement ?? document.body
        const name = element.id === "" ? (element.textContent ?? "").trim() : element.id
        return [name, getComputedStyle(element).outlineStyle === "solid"] as const
      })
    )
  }
  return reached
}
