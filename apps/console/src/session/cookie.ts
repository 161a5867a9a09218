import { type BrowserOptions, layer } from "@tollgate/browser"
import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { baseUrl, outside } from "./gateway.ts"
import type { Who } from "./kept.ts"

/** What the gateway requires besides the cookie: only a page of its own can send it. It names the session that the page means. */
const header = "x-tollgate-console"

/** The page waits for the answer. */
const deadlineMillis = 20_000

/** Why no session began. Without `status` the gateway could not be reached. */
export interface NotBegun {
  readonly status?: number
  readonly message: string
  /** In milliseconds. */
  readonly retryAfter?: number
}

const unreachable: NotBegun = {
  message: "The gateway cannot be reached. Check that it is running, and try again."
}

const refusalOf = async (answer: Response): Promise<NotBegun> => {
  const body = (await answer.json().catch(() => undefined)) as { readonly error?: { readonly message?: string } }
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
  return {
    status: answer.status,
    message: body?.error?.message ?? `The gateway answered with ${answer.status}.`,
    ...(Number.isNaN(seconds) ? {} : { retryAfter: seconds * 1_000 })
  }
}

/** Hands the credential over for a session of this browser. The gateway checks it as on any call. Returns the session's id. */
export const beginSession = async (who: Who, credential: string): Promise<string | NotBegun> => {
  try {
    const answer = await fetch(outside(`/console/${who}`), {
      method: "POST",
      cache: "no-store",
      headers: { authorization: `Bearer ${credential}`, [header]: "new" },
      signal: AbortSignal.timeout(deadlineMillis)
    })
    return answer.ok ? ((await answer.json()) as { readonly id: string }).id : await refusalOf(answer)
  } catch {
    return unreachable
  }
}

/** Also if the page is left meanwhile. If it fails, the session ends by itself. */
export const endSession = (who: Who, id: string): Promise<unknown> =>
  fetch(outside(`/console/${who}`), { method: "DELETE", headers: { [header]: id }, keepalive: true }).catch(() => {})

/** In place of a credential, the browser sends its cookie. */
const sendWithCookie = (id: string) => (url: string, init: RequestInit) => {
  const headers = new Headers(init.headers)
  headers.delete("authorization")
  headers.set(header, id)
  return fetch(url, { ...init, headers, credentials: "same-origin" })
}

/** The client of a session. */
export const clientOf = (
  id: string,
  options: Pick<BrowserOptions, "afterResponse" | "pace"> = {}
): Layer.Layer<Client> => layer({ baseUrl, ...options, credential: Redacted.make(id), fetch: sendWithCookie(id) })
