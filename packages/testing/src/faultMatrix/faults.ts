import type { Fault } from "./cell.ts"

const scenario = (text: string) => ({ requestHeaders: { "x-tollgate-scenario": text } })
const page = { type: "text/html", body: "<html>Sign in to the network</html>" }
const capped = { requestHeaders: { "x-tollgate-max-price-usd": "0.000001" } }
const limitMillis = 2_500

/** Two to three seconds from now: an HTTP date has whole seconds. */
const inTwoSeconds = () => ({ "retry-after": new Date(Math.ceil(Date.now() / 1000) * 1000 + 2_000).toUTCString() })

export const faults = [
  { name: "500", call: "whole", inject: scenario("status; code=500") },
  { name: "429, Retry-After 2", call: "whole", inject: scenario("status; code=429; after=2") },
  { name: "429, Retry-After 90", call: "whole", inject: scenario("status; code=429; after=90") },
  {
    name: "429, Retry-After date",
    call: "whole",
    inject: { ...scenario("status; code=429; after=2"), answerHeaders: inTwoSeconds }
  },
  { name: "reset, request not seen", call: "whole", inject: { reset: "unseen" } },
  { name: "reset, request executed", call: "whole", inject: { reset: "unanswered" } },
  { name: "reset, half of the answer", call: "whole", inject: { reset: "halfway" } },
  { name: "stall, no answer", call: "whole", inject: { stall: "unanswered" }, limitMillis },
  { name: "stall, half of the answer", call: "whole", inject: { stall: "halfway" }, limitMillis },
  { name: "upstream reset, call executed", call: "whole", inject: scenario("reset") },
  { name: "HTML with 200, upstream", call: "whole", inject: scenario("html") },
  { name: "HTML with 200, from a proxy", call: "whole", inject: { instead: page } },
  { name: "stream truncated", call: "stream", inject: scenario("truncated; after=4") },
  { name: "stream stalls", call: "stream", inject: scenario("stall; after=4"), limitMillis },
  { name: "stream with an error", call: "stream", inject: scenario("stream-error; after=4") },
  { name: "refused, usage", call: "usage", inject: { requestHeaders: { authorization: "Bearer nobody" } } },
  { name: "refused, data", call: "data", inject: capped },
  { name: "refused, openai", call: "openai", inject: capped },
  { name: "refused, anthropic", call: "anthropic", inject: capped },
  { name: "refused, gemini", call: "gemini", inject: capped },
  { name: "refused, task", call: "task", inject: capped }
] as const satisfies ReadonlyArray<Fault>

export type FaultName = (typeof faults)[number]["name"]
