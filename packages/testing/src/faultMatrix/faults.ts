import type { Fault } from "./cell.ts"

const scenario = (text: string) => ({ asks: { "x-tollgate-scenario": text } })
const page = { type: "text/html", body: "<html>Sign in to the network</html>" }
const capped = { asks: { "x-tollgate-max-price-usd": "0.000001" } }
const limitMillis = 2_500

/** Two seconds from now or a little more: such a date has whole seconds. */
const soon = () => ({ "retry-after": new Date(Math.ceil(Date.now() / 1000) * 1000 + 2_000).toUTCString() })

export const faults = [
  { name: "500", ask: "whole", turn: scenario("status; code=500") },
  { name: "429, Retry-After 2", ask: "whole", turn: scenario("status; code=429; after=2") },
  { name: "429, Retry-After 90", ask: "whole", turn: scenario("status; code=429; after=90") },
  { name: "429, Retry-After date", ask: "whole", turn: { ...scenario("status; code=429; after=2"), answers: soon } },
  { name: "reset, request not seen", ask: "whole", turn: { reset: "unseen" } },
  { name: "reset, request carried out", ask: "whole", turn: { reset: "unanswered" } },
  { name: "reset, half of the answer", ask: "whole", turn: { reset: "halfway" } },
  { name: "silence, no answer", ask: "whole", turn: { silent: "unanswered" }, limitMillis },
  { name: "silence, half of the answer", ask: "whole", turn: { silent: "halfway" }, limitMillis },
  { name: "upstream reset, work done", ask: "whole", turn: scenario("reset") },
  { name: "HTML with 200, upstream", ask: "whole", turn: scenario("html") },
  { name: "HTML with 200, on the way", ask: "whole", turn: { instead: page } },
  { name: "stream truncated", ask: "stream", turn: scenario("truncated; after=4") },
  { name: "stream silent", ask: "stream", turn: scenario("stall; after=4"), limitMillis },
  { name: "stream with an error", ask: "stream", turn: scenario("stream-error; after=4") },
  { name: "refused, usage", ask: "usage", turn: { asks: { authorization: "Bearer nobody" } } },
  { name: "refused, data", ask: "data", turn: capped },
  { name: "refused, openai", ask: "openai", turn: capped },
  { name: "refused, anthropic", ask: "anthropic", turn: capped },
  { name: "refused, gemini", ask: "gemini", turn: capped },
  { name: "refused, task", ask: "task", turn: capped }
] as const satisfies ReadonlyArray<Fault>

export type FaultName = (typeof faults)[number]["name"]
