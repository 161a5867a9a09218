import { Client, rerank } from "@tollgate/client"
import { createClient, layer } from "@tollgate/browser/effect"
import * as Effect from "effect/Effect"

// Runs in the page: uses the client as a browser app would. The test reads the outcome from the body's dataset.
const { baseUrl, key } = JSON.parse(document.body.dataset.settings ?? "{}") as { baseUrl: string; key: string }

const question = { query: "longest river", documents: ["A mountain.", "The longest river."] } as const
const options = { baseUrl, credential: key, allowKeyInPage: true }

const refusedWithoutOptIn = (): string => {
  try {
    createClient({ baseUrl, credential: key })
    return "accepted"
  } catch (error) {
    return error instanceof Error ? error.message : "not an error"
  }
}

const promises = createClient(options)
const wrong = createClient({ ...options, credential: "tg_wrong" })
const nowhere = createClient({ ...options, baseUrl: "http://127.0.0.1:1" })
const aborted = new AbortController()
aborted.abort()

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) =>
      typeof error === "object" && error !== null && "_tag" in error
        ? { tag: error._tag, outcome: "outcome" in error ? error.outcome : undefined }
        : String(error)
  )

const outcome = {
  effect: await Effect.runPromise(rerank(question).pipe(Effect.provide(layer(options)))),
  promise: await promises.rerank(question),
  unauthenticated: await failure(wrong.rerank(question)),
  unreachable: await failure(nowhere.rerank(question)),
  aborted: await failure(promises.rerank(question, { signal: aborted.signal })),
  refusedWithoutOptIn: refusedWithoutOptIn(),
  service: typeof Client
}

document.body.dataset.outcome = JSON.stringify(outcome)
