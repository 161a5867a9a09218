import * as Effect from "effect/Effect"
import { bundlePage, chromium } from "../chromium.ts"
import { httpUpstream } from "../upstream.ts"

/** What the page puts on its window. */
interface HookWindow extends Window {
  readonly hook: Readonly<Record<string, unknown>>
  readonly show: (name: string | undefined) => void
  readonly commits: number
}

declare const window: HookWindow

export interface Shown {
  readonly state: string
  readonly [name: string]: unknown
}

/** A page with the hooks, of an origin other than the gateway's. `problems` has what React and the page complain about. */
export const openHooks = Effect.fnUntraced(function* (settings: object) {
  const script = yield* bundlePage("./react/page.tsx", "development")
  const html = `<!doctype html><body data-settings='${JSON.stringify(settings)}'><script type="module" src="/page.js"></script>`
  const server = yield* httpUpstream((res, { url }) =>
    url === "/page.js"
      ? res.setHeader("content-type", "text/javascript").end(script)
      : res.setHeader("content-type", "text/html").end(html)
  )
  const tab = yield* Effect.flatMap(chromium, (browser) => Effect.promise(() => browser.newPage()))
  const problems: Array<string> = []
  tab.on("pageerror", (error) => problems.push(String(error)))
  tab.on("console", (message) => {
    // The browser itself logs each refused request.
    if (message.type() === "error" && !message.text().startsWith("Failed to load")) problems.push(message.text())
  })
  yield* Effect.promise(async () => {
    await tab.goto(`http://127.0.0.1:${server.port}/`)
    await tab.waitForSelector("body[data-ready]", { state: "attached" })
  })

  return {
    problems,
    /** Unmounts what was shown before. */
    show: (name?: string) => Effect.promise(() => tab.evaluate((name) => window.show(name), name)),
    /** Calls a function that the hook returned. */
    act: (name: string, ...args: ReadonlyArray<unknown>) =>
      Effect.promise(() =>
        tab.evaluate(
          ([name, args]) => {
            const f = window.hook[name]
            if (typeof f === "function") f(...args)
          },
          [name, args] as const
        )
      ),
    /** What the hook returned last. */
    read: Effect.promise(async () => {
      const json = await tab.evaluate(() =>
        JSON.stringify(window.hook, (_, value: unknown) => {
          if (typeof value === "bigint") return Number(value)
          return value instanceof Error ? { ...value, message: value.message } : value
        })
      )
      return JSON.parse(json) as Shown
    }),
    commits: Effect.promise(() => tab.evaluate(() => window.commits)),
    /** Waits until the field of the hook has this value. */
    until: (name: string, value: unknown) =>
      Effect.promise(() => tab.waitForFunction(([name, value]) => window.hook[name] === value, [name, value] as const)),
    /** Waits until so much text has arrived. */
    untilText: (length: number) =>
      Effect.promise(() => tab.waitForFunction((length) => String(window.hook["text"]).length >= length, length))
  }
})
