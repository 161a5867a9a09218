import { request } from "node:http"
import { expect } from "vitest"

export type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** Node's own client, as fetch does not let a test choose these headers. */
export const ask = (address: string, method: string, path: string, headers: Headers = {}, body = "") =>
  new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const asked = request({ host: hostname, port, path, method, headers }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (part: string) => (text += part))
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
    })
    asked.on("error", reject).end(body)
  })

export const page = { "sec-fetch-site": "same-origin", "x-tollgate-console": "new" }
export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
export const profile = "/account/v1"

/** What a page of the browser sends: the cookie, and the session that it means. */
export interface Tab {
  readonly cookie: string
  readonly id: string
}

export const headersOf = ({ cookie, id }: Tab) => ({
  "sec-fetch-site": "same-origin",
  "x-tollgate-console": id,
  cookie
})

export const signIn = async (address: string, who: "account" | "operator", credential: string, more: Headers = {}) => {
  const answer = await ask(address, "POST", `/console/${who}`, { ...page, ...bearer(credential), ...more })
  expect([answer.status, answer.body]).toEqual([201, expect.stringContaining("ends_at")])
  const [set = ""] = [answer.headers["set-cookie"] ?? []].flat()
  const tab: Tab = { cookie: set.split(";", 1)[0] ?? "", id: (JSON.parse(answer.body) as { readonly id: string }).id }
  return { ...tab, set, body: answer.body }
}

/** The label of the account in its profile. */
export const nameIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly account?: { readonly label: string } }).account?.label
