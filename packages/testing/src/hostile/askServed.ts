import * as Effect from "effect/Effect"
import { request } from "node:http"
import { key } from "../TestGateway.ts"
import { Served } from "./Served.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly text: string
  /** Whether the body ended as HTTP says, not by a broken connection. */
  readonly complete: boolean
  readonly json: () => unknown
}

/** Posts a body and returns the answer, also if it breaks off. */
export const askServed = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` }
) =>
  Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.callback<Answer>((resume) => {
      const req = request(`${baseUrl}${path}`, {
        method: "POST",
        agent: false,
        headers: { ...headers, "content-type": "application/json" }
      })
      req.on("error", (error) => resume(Effect.die(error)))
      req.on("response", (res) => {
        let text = ""
        res.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        res.on("error", () => {})
        res.on("close", () =>
          resume(
            Effect.succeed({
              status: res.statusCode ?? 0,
              headers: res.headers,
              text,
              complete: res.complete,
              json: () => JSON.parse(text) as unknown
            })
          )
        )
      })
      req.end(body)
      return Effect.sync(() => req.destroy())
    })
  )
