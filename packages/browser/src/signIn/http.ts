import * as Effect from "effect/Effect"
import { ServerUnreachable } from "./errors.ts"
import type { Page } from "./Page.ts"

export interface Answer {
  readonly status: number
  readonly text: string
}

const deadlineMillis = 15_000
const maxBytes = 262_144

/** Uses a reader because not every browser can iterate over a body. */
const readText = async ({ body }: Response): Promise<string> => {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let length = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    length += read.value.length
    if (length > maxBytes) {
      await reader?.cancel()
      throw new Error("too long")
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}

/** No cause: what `fetch` throws may hold tokens. Redirects are not followed: tokens would go elsewhere. */
const request = (page: Page, url: string, init: RequestInit): Effect.Effect<Answer, ServerUnreachable> => {
  const { host } = new URL(url)
  const failed = (problem: string) => new ServerUnreachable({ message: `${host} ${problem}.` })
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
      return { status: response.status, text: await readText(response) }
    },
    catch: () => failed("cannot be reached from this page, or does not allow its origin (CORS)")
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadlineMillis,
      orElse: () => Effect.fail(failed(`did not answer within ${deadlineMillis / 1_000} s`))
    }),
    Effect.filterOrFail(
      ({ status }) => status < 500 && status !== 429,
      ({ status }) => failed(`answered ${status}`)
    )
  )
}

export const get = (page: Page, url: string) =>
  request(page, url, { method: "GET", headers: { accept: "application/json" } })

export type Form = Readonly<Record<string, string | undefined>>

/** `keepalive` lets the request finish after the user leaves the page. */
export const post = (page: Page, url: string, form: Form) => {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return request(page, url, { method: "POST", headers: { accept: "application/json" }, body, keepalive: true })
}
