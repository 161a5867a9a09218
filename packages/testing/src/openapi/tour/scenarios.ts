import type { Caller } from "../Caller.ts"
import { type CallerOf, firstRequests, requests } from "./requests.ts"

const scenario = (text: string) => ({ "x-tollgate-scenario": text })

const statuses = [201, 204, 302, 401, 403, 404, 418, 422, 500, 529]

/** Upstreams that fail in every way the sandbox knows, on every operation that has one. */
export const fail = async (caller: Caller, callerOf: CallerOf) => {
  for (const { call, operation } of firstRequests()) {
    if (operation.upstream === "gateway") continue
    const send = async (text: string, upstream = true) =>
      (await callerOf(operation)).send({ ...call, upstream, headers: { ...call.headers, ...scenario(text) } })
    for (const code of statuses) await send(`status; code=${code}`)
    await send("status; code=429; after=7", false)
    await send("status; code=429; after=700", false)
    await send("status; code=429", false)
    await send("reset", false)
    await send("html")
    await send("truncated")
    await send("no-usage")
  }
  await caller.send({ path: "/v1/chat/completions", upstream: true, body: { model: "sandbox", messages: "none" } })
}

/** Streams that break. */
export const breakStreams = async (callerOf: CallerOf) => {
  const broken = ["truncated; after=2", "reset; after=2", "stream-error; after=2", "garbage; after=2", "reset; after=0"]
  for (const { call, example, operation } of requests()) {
    if (operation.event === undefined || (example.contentType === undefined && operation.family !== "gemini")) continue
    for (const text of broken) {
      const caller = await callerOf(operation)
      await caller.send({
        ...call,
        upstream: text.startsWith("garbage"),
        headers: { ...call.headers, ...scenario(text) }
      })
    }
  }
}
