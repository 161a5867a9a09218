import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Browser, Request } from "playwright-core"
import { bundlePage, chromium } from "../chromium.ts"
import { Host } from "../Host.ts"
import { key } from "../TestGateway.ts"
import { until } from "../hostile/pausedUpstream.ts"
import { httpUpstream } from "../upstream.ts"

/** What the page puts on its window. */
interface HookWindow extends Window {
  readonly hook: Readonly<Record<string, unknown>>
  readonly show: (name: string | undefined) => void
  readonly commits: number
}

declare const window: HookWindow

const nameOf = (request: Request): string => `${request.method()} ${new URL(request.url()).pathname}`

const openTab = Effect.fnUntraced(function* (browser: Browser, origin: string, settings: object, shown: string) {
  const tab = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newPage()),
    (tab) => Effect.promise(() => tab.close())
  )
  const problems: Array<string> = []
  const requests: Array<string> = []
  tab.on("pageerror", (error) => problems.push(String(error)))
  tab.on("console", (message) => {
    // The browser itself logs each refused request.
    if (message.type() === "error" && !message.text().startsWith("Failed to load")) problems.push(message.text())
  })
  tab.on("request", (request) => requests.push(nameOf(request)))
  const aborted: Array<string> = []
  tab.on("requestfailed", (request) => {
    if (request.failure()?.errorText === "net::ERR_ABORTED") aborted.push(nameOf(request))
  })
  const show = (name?: string) => Effect.promise(() => tab.evaluate((name) => window.show(name), name))

  yield* Effect.promise(async () => {
    await tab.goto(`${origin}/?${encodeURIComponent(JSON.stringify(settings))}`)
    await tab.waitForFunction(() => "show" in window)
  })
  yield* show(shown)
  yield* Effect.promise(() => tab.waitForFunction(() => "state" in window.hook))

  return {
    /** What React and the page complained about. */
    problems,
    /** Method and path of each request of the page. */
    requests,
    /** Unmounts what was shown before. */
    show,
    /** Answers of this path are lost on their way to the page, until the effect that this returns is run. */
    loseAnswers: (path: string) =>
      Effect.promise(async () => {
        await tab.route(`**${path}`, async (route) => {
          await route.fetch()
          await route.abort("connectionreset")
        })
        return Effect.promise(() => tab.unroute(`**${path}`))
      }),
    /** Calls a function that the hook returned, so many times in a row. */
    act: (name: string, args: ReadonlyArray<unknown>, times = 1) =>
      Effect.promise(() =>
        tab.evaluate(
          ([name, args, times]) => {
            const f = window.hook[name]
            if (typeof f !== "function") throw new Error(`The hook has no ${name}`)
            for (let i = 0; i < times; i++) f(...args)
          },
          [name, args, times] as const
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
      return JSON.parse(json) as Readonly<Record<string, unknown>>
    }),
    /** How often the component was committed, and for how long the page has been open. */
    commits: Effect.promise(() => tab.evaluate(() => ({ commits: window.commits, millis: performance.now() }))),
    /** Waits until the field of the hook, such as `report.totals.requests`, has this value. */
    until: (path: string, value: unknown) =>
      Effect.promise(() =>
        tab.waitForFunction(
          ([path, value]) => {
            let found: unknown = window.hook
            for (const name of path.split(".")) found = Object(found)[name]
            return found === value
          },
          [path, value] as const
        )
      ),
    /** Waits until the page has closed the connection of a request. */
    untilAborted: (name: string) => until(() => aborted.includes(name)),
    untilText: Effect.promise(() => tab.waitForFunction(() => window.hook["text"] !== ""))
  }
})

export type HookPage = Effect.Success<ReturnType<typeof openTab>>

/** A browser with pages that show one hook each, of an origin other than the gateway's. */
export class HookPages extends Context.Service<
  HookPages,
  {
    readonly open: (shown: string, settings?: object) => Effect.Effect<HookPage, never, Host | Scope.Scope>
  }
>()("@tollgate/testing/react/HookPages") {
  static readonly layer = Layer.effect(
    HookPages,
    Effect.gen(function* () {
      const script = yield* bundlePage("./react/page.tsx", "development")
      const browser = yield* chromium
      const { port } = yield* httpUpstream((res, { url }) =>
        url === "/page.js"
          ? res.setHeader("content-type", "text/javascript").end(script)
          : res
              .setHeader("content-type", "text/html")
              .end(`<!doctype html><body><script type=module src=/page.js></script>`)
      )
      const open = (shown: string, settings?: object) =>
        Effect.flatMap(Host, ({ baseUrl }) =>
          openTab(browser, `http://127.0.0.1:${port}`, { baseUrl, key, ...settings }, shown)
        )
      return { open }
    })
  )
}
