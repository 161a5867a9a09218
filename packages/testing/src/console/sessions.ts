import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core"

interface Session {
  readonly context: BrowserContext
  readonly options: string
  readonly storage: CDPSession
  /** Stays open, so that the next tab finds its process and the compiled scripts. */
  readonly keeper: Page
}

/** What a person's browser keeps, except the cache of files: that is what makes the next tab fast. */
const storageTypes = "cookies,local_storage,indexeddb,cache_storage,service_workers"

/** Browser sessions, one for each open tab. Those of earlier tests are used again, emptied. */
export const sessions = (browser: Browser, address: string) => {
  const free: Array<Session> = []
  const used: Array<Session> = []

  const newSession = async (options: BrowserContextOptions, key: string): Promise<Session> => {
    const context = await browser.newContext(options)
    const keeper = await context.newPage()
    await keeper.goto(`${address}/healthz`)
    return { context, options: key, keeper, storage: await context.newCDPSession(keeper) }
  }

  const empty = async (session: Session): Promise<void> => {
    const { context, keeper, storage } = session
    await Promise.all(context.pages().map((tab) => (tab === keeper ? undefined : tab.close())))
    await context.unrouteAll({ behavior: "ignoreErrors" })
    await context.setOffline(false)
    await context.clearPermissions()
    await context.clearCookies()
    await storage.send("Storage.clearDataForOrigin", { origin: new URL(address).origin, storageTypes })
    free.push(session)
  }

  return {
    newTab: async (options: BrowserContextOptions): Promise<Page> => {
      const key = JSON.stringify(options)
      const at = free.findIndex((session) => session.options === key)
      const session = free.splice(at, at < 0 ? 0 : 1)[0] ?? (await newSession(options, key))
      used.push(session)
      return session.context.newPage()
    },
    /** Closes the tabs of a test, and contexts that it opened itself. */
    end: async (): Promise<void> => {
      const ours = new Set([...used, ...free].map(({ context }) => context))
      await Promise.all(browser.contexts().map((context) => (ours.has(context) ? undefined : context.close())))
      await Promise.all(used.splice(0).map(empty))
    }
  }
}

export type Sessions = ReturnType<typeof sessions>
