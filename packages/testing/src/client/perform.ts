import { textOf } from "@tollgate/client"
import type { createClient as CreateClient } from "@tollgate/client/promises/createClient"
import { resumable, resumeStream } from "@tollgate/client/resumable"
import type { Charge } from "@tollgate/contract/Outcome"

const question = { query: "longest river", documents: ["A mountain.", "The longest river."] } as const
const messages = [{ role: "user" as const, content: "Why do rivers bend, and where?" }]

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        tag: "_tag" in error ? error._tag : undefined,
        outcome: "outcome" in error ? error.outcome : undefined
      }
    : String(error)

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => "no failure", describeError)

export interface Settings {
  readonly baseUrl: string
  readonly credential: string
}

/** Uses the client as an app would, in the current runtime. */
export const perform = async (
  createClient: typeof CreateClient,
  { credential, baseUrl }: Settings
): Promise<string> => {
  const client = createClient({ credential, baseUrl })

  const call = async () => (await client.rerank(question)).results.map(({ index }) => index)

  const stream = async () => {
    const charges: Array<Charge> = []
    const text = await client
      .chatCompletionsStream({ model: "sandbox", messages }, { onCharge: (charge) => void charges.push(charge) })
      .text()
    return { isLong: text.length > 20, charges: charges.map(({ micros, state }) => [state, String(micros)]) }
  }

  /** As a page does that is reloaded after two events. */
  const resumed = async () => {
    const kept = resumable()
    const texts: Array<string> = []
    for await (const event of client.chatCompletionsStream({ model: "sandbox", messages }, { resumable: kept })) {
      if (texts.push(textOf(event)) === 2) break
    }
    const token = JSON.parse(JSON.stringify(kept.token()))
    for await (const event of resumeStream(client.chatCompletionsStream, resumable(token))) texts.push(textOf(event))
    return texts.join("").length > 20
  }

  const stalling = { model: "sandbox:stall; after=2", messages }

  const endedCount = async () =>
    (await client.usage({ start_time: Math.floor(Date.now() / 1000) - 60 })).totals.requests

  /** Whether the gateway ended a stalled call, which happens only when its connection closes. */
  const endsCall = async (read: () => Promise<unknown>) => {
    const before = await endedCount()
    const result = await read()
    for (let tries = 0; tries < 400; tries++) {
      if ((await endedCount()) > before) return { result, isEnded: true }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { result, isEnded: false }
  }

  const left = async () => {
    let events = 0
    for await (const _ of client.chatCompletionsStream(stalling)) if (++events === 2) break
    return events
  }

  const aborted = () => {
    const controller = new AbortController()
    let events = 0
    const read = async () => {
      for await (const _ of client.chatCompletionsStream(stalling, { signal: controller.signal })) {
        if (++events === 2) setTimeout(() => controller.abort(new Error("changed my mind")), 5)
      }
    }
    return failure(read())
  }

  const abortedCall = () => {
    const controller = new AbortController()
    controller.abort()
    return failure(client.rerank(question, { signal: controller.signal }))
  }

  const list = async () => {
    const post = { tweetId: "3" }
    const pages: Array<ReadonlyArray<unknown>> = []
    const items: Array<unknown> = []
    for await (const { tweets } of client.tweetQuotesPages(post)) pages.push(tweets.map(({ id }) => id))
    for await (const { id } of client.tweetQuotesItems(post)) items.push(id)
    return { isOfSeveralPages: pages.length > 1, isSameEitherWay: items.join() === pages.flat().join() }
  }

  const refused = async () => {
    const wrong = createClient({ credential: async () => "tg_wrong", baseUrl })
    const error = await failure(wrong.rerank(question))
    await wrong.close()
    return error
  }

  const unreachable = async () => {
    const nowhere = createClient({ credential, baseUrl: "http://127.0.0.1:1", retry: { retries: 0 } })
    const error = await failure(nowhere.rerank(question))
    await nowhere.close()
    return error
  }

  const closed = async () => {
    await client.close()
    return failure(client.rerank(question))
  }

  return JSON.stringify({
    call: await call(),
    stream: await stream(),
    resumed: await resumed(),
    left: await endsCall(left),
    streamError: await failure(
      client.chatCompletionsStream({ model: "sandbox:stream-error; after=2", messages }).text()
    ),
    abortedStream: await endsCall(aborted),
    abortedCall: await abortedCall(),
    list: await list(),
    quote: String((await client.quote.rerank(question)).max_micros_usd),
    overBudget: await failure(client.withBudget("0.000001").rerank(question)),
    refused: await refused(),
    unreachable: await unreachable(),
    closed: await closed()
  })
}
