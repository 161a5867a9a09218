import * as Effect from "effect/Effect"
import { ServerUnreachable } from "./errors.ts"
import type { Page } from "./Page.ts"

export interface Answer {
  readonly status: number
  readonly text: string
}

/** For the whole exchange, and a bound on what is read of an answer. */
const deadlineMillis = 15_000
const mostBytes = 262_144

/** By its reader: not every browser iterates a body. */
const textOf = async ({ body }: Response): Promise<string> => {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let length = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    length += read.value.length
    if (length > mostBytes) {
      await reader?.cancel()
      throw new Error("too long")
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Why it fails is not kept: what a `fetch` throws may hold the request, and that the tokens. A redirect is not followed,
 * which would take them elsewhere.
 */
const exchange = (page: Page, url: string, init: RequestInit): Effect.Effect<Answer, ServerUnreachable> => {
  const { host } = new URL(url)
  const failed = (what: string) => new ServerUnreachable({ message: `${host} ${what}.` })
  return Effect.tryPromise({
    try: async (signal): Promise<Answer> => {
      const response = await page.fetch(url, {
        ...init,
        signal,
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer"
      })
      return { status: response.status, text: await textOf(response) }
    },
    catch: () => failed("cannot be reached from this page, or does not allow its origin (CORS)")
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadlineMillis,
      orElse: () => Effect.fail(failed(`did not answer within ${deadlineMillis / 1_000} s`))
    }),
    Effect.filterOrFail(
      ({ status }) => status < 500 && status !== 429,
      ({ status }) => failed(`answers ${status}`)
    )
  )
}

export const get = (page: Page, url: string) =>
  exchange(page, url, { method: "GET", headers: { accept: "application/json" } })

export type Form = Readonly<Record<string, string | undefined>>

/** `keepalive`, so that it arrives though the page is left meanwhile. */
export const post = (page: Page, url: string, form: Form) => {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return exchange(page, url, { method: "POST", headers: { accept: "application/json" }, body, keepalive: true })
}
